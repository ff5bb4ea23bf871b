//! Whole columns in dynamic systems.

use super::kind::HasColumn;
use super::parameter::{ColumnMut, ColumnRef};
use super::terms::{declared, declared_mut};
use crate::data::entity::Component;
use crate::systems::system::{AccessError, View};

/// Columns. The system declares them by [`DynamicSystem::queries`](crate::dynamic::DynamicSystem::queries), as components of
/// [`Columns<K>`](struct@super::Columns): each in a query of its own, because a query with several components declares only entities
/// that have all of them.
impl View<'_> {
    /// Returns a column, to read.
    ///
    /// ```
    /// use schedule::columns::Columns;
    /// use schedule::dynamic::DynamicSystem;
    /// use schedule::entity::{Component, ComponentId, DynamicQuery};
    /// use schedule::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Height(f32);
    ///
    /// #[derive(Columns)]
    /// struct Tree {
    ///     height: Height,
    /// }
    ///
    /// let grow = DynamicSystem::new("grow", |view| {
    ///     for height in &mut view.column_mut::<Tree, Height>()? {
    ///         height.0 += 1.0;
    ///     }
    ///     Ok::<(), BoxError>(())
    /// })
    /// .queries(DynamicQuery::<Columns<Tree>>::new().writes(ComponentId::of::<Height>()));
    ///
    /// let mut resources = Resources::new();
    /// resources.insert(Columns::from_iter([Tree { height: Height(2.0) }]));
    /// Schedule::builder().add_dynamic(grow).build()?.run(&mut resources)?;
    /// let trees = resources.get_mut::<Columns<Tree>>().unwrap();
    /// assert_eq!(trees.column::<Height>()[0].0, 3.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the system does not declare that it reads the component, or if the store is missing.
    pub fn column<K: HasColumn<C>, C: Component>(
        &self,
    ) -> Result<ColumnRef<'_, K, C>, AccessError> {
        let (store, components) = self.components::<_, &'static C, ()>()?;
        Ok(declared(store, components))
    }

    /// Returns a column, to write. While it exists, the view returns nothing else.
    ///
    /// # Errors
    ///
    /// Fails if the system does not declare that it writes the component, or if the store is missing.
    pub fn column_mut<K: HasColumn<C>, C: Component>(
        &mut self,
    ) -> Result<ColumnMut<'_, K, C>, AccessError> {
        let (store, components) = self.components_mut::<_, &'static mut C, ()>()?;
        Ok(declared_mut(store, components))
    }
}
