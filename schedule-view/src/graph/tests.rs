use super::*;

fn shape(form: Form, label: &str, parent: Option<usize>) -> Shape {
    Shape {
        form,
        label: label.to_string(),
        notes: vec!["if something_long or something_else".to_string()],
        hint: "a <hint>\n".to_string(),
        parent,
        is_open: false,
        is_enabled: true,
        is_exclusive: false,
    }
}

#[test]
fn every_label_fits_its_shape() {
    let forms = [
        Form::System,
        Form::Condition,
        Form::Selector,
        Form::Checkpoint,
        Form::ApplyCommands,
        Form::Loop,
        Form::Group,
        Form::Resource,
    ];
    let labels = [
        "a",
        "a_name::of<some>_length_that::must::be_broken_twice_or_so",
        "漢字かな交じり",
        "",
    ];
    for form in forms {
        for text in labels {
            let shape = shape(form, text, None);
            let label = Label::new(&shape.label, &shape.notes);
            let size = size(&shape, &label);
            // The width that a polygon or a round end cuts off at each side, at half the height.
            let cut = match form {
                Form::Condition | Form::Selector => 20.0,
                Form::Checkpoint | Form::ApplyCommands => 12.0,
                _ => 0.0,
            };
            assert!(label.size.width + cut <= size.width);
            assert!(label.size.height <= size.height);
            let widest = label.lines.iter().map(|line| width(line, CHAR.0));
            assert!(widest.fold(0.0, f64::max) <= label.size.width);
        }
    }
}

#[test]
fn an_arrowhead_points_at_the_written_resource() {
    let arrow = |from, to, style| Arrow {
        from,
        to,
        style,
        label: None,
        hint: String::new(),
    };
    let mut group = shape(Form::Group, "group", None);
    group.is_open = true;
    let scene = Scene {
        title: "t".to_string(),
        shapes: vec![
            group,
            shape(Form::System, "writes", Some(0)),
            shape(Form::Resource, "resource", None),
        ],
        arrows: vec![arrow(1, 2, Style::Writes)],
        notes: Vec::new(),
    };
    let text = write(&scene);
    let heads: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("url(#to-writes)"))
        .collect();
    // One of the two sections of the line, and the legend.
    let [line, legend] = heads[..] else {
        panic!("{heads:?}")
    };
    assert!(line.contains("marker-start"), "{line}");
    assert!(legend.contains("marker-end"), "{legend}");
}
