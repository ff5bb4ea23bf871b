//! Any number of parameters.

use schedule::prelude::*;

use crate::{Health, after_one};

macro_rules! with_as_many {
    ($name:ident: $($param:ident)*) => {
        #[system]
        #[allow(clippy::too_many_arguments, reason = "that is the point")]
        fn $name(health: &mut Health, $($param: Local<u8>),*) {
            $(health.0 -= 1 + *$param as i32;)*
        }
    };
}

with_as_many! { thirteen:
    p0 p1 p2 p3 p4 p5 p6 p7 p8 p9 p10 p11
}

with_as_many! { forty:
    p0 p1 p2 p3 p4 p5 p6 p7 p8 p9 p10 p11 p12 p13 p14 p15 p16 p17 p18 p19 p20 p21 p22 p23
    p24 p25 p26 p27 p28 p29 p30 p31 p32 p33 p34 p35 p36 p37 p38
}

with_as_many! { two_hundred:
    p0 p1 p2 p3 p4 p5 p6 p7 p8 p9 p10 p11 p12 p13 p14 p15 p16 p17 p18 p19 p20 p21 p22 p23
    p24 p25 p26 p27 p28 p29 p30 p31 p32 p33 p34 p35 p36 p37 p38 p39 p40 p41 p42 p43 p44 p45
    p46 p47 p48 p49 p50 p51 p52 p53 p54 p55 p56 p57 p58 p59 p60 p61 p62 p63 p64 p65 p66 p67
    p68 p69 p70 p71 p72 p73 p74 p75 p76 p77 p78 p79 p80 p81 p82 p83 p84 p85 p86 p87 p88 p89
    p90 p91 p92 p93 p94 p95 p96 p97 p98 p99 p100 p101 p102 p103 p104 p105 p106 p107 p108
    p109 p110 p111 p112 p113 p114 p115 p116 p117 p118 p119 p120 p121 p122 p123 p124 p125
    p126 p127 p128 p129 p130 p131 p132 p133 p134 p135 p136 p137 p138 p139 p140 p141 p142
    p143 p144 p145 p146 p147 p148 p149 p150 p151 p152 p153 p154 p155 p156 p157 p158 p159
    p160 p161 p162 p163 p164 p165 p166 p167 p168 p169 p170 p171 p172 p173 p174 p175 p176
    p177 p178 p179 p180 p181 p182 p183 p184 p185 p186 p187 p188 p189 p190 p191 p192 p193
    p194 p195 p196 p197 p198
}

#[system]
#[allow(clippy::too_many_arguments, reason = "that is the point")]
fn of_every_kind(
    (health, _): (&mut Health, Local<u8>),

    _p0: Local<u8>,
    _p1: Option<&Missing>,
    _p2: Commands,
    _p3: (),
    _p4: (Local<u8>, (Commands, Local<u16>)),
    _p5: Local<u8>,
    _p6: Option<&Missing>,
    _p7: Commands,
    _p8: (),
    _p9: (Local<u8>, (Commands, Local<u16>)),
    _p10: Local<u8>,
    _p11: Option<&Missing>,
    _p12: Commands,
    _p13: (),
    _p14: (Local<u8>, (Commands, Local<u16>)),
    _p15: Local<u8>,
    _p16: Option<&Missing>,
    _p17: Commands,
    _p18: (),
    _p19: (Local<u8>, (Commands, Local<u16>)),
    _p20: Local<u8>,
    _p21: Option<&Missing>,
    _p22: Commands,
    _p23: (),
    _p24: (Local<u8>, (Commands, Local<u16>)),
    _p25: Local<u8>,
    _p26: Option<&Missing>,
    _p27: Commands,
    _p28: (),
    _p29: (Local<u8>, (Commands, Local<u16>)),
    _p30: Local<u8>,
    _p31: Option<&Missing>,
    _p32: Commands,
    _p33: (),
    _p34: (Local<u8>, (Commands, Local<u16>)),
    _p35: Local<u8>,
    _p36: Option<&Missing>,
    _p37: Commands,
    _p38: (),
) {
    health.0 -= 1;
}

/// A resource that is never inserted.
#[derive(Resource)]
struct Missing;

#[test]
fn a_system_may_have_any_number_of_parameters() {
    assert_eq!(after_one::<thirteen>(), 10 - 12);
    assert_eq!(after_one::<forty>(), 10 - 39);
    assert_eq!(after_one::<two_hundred>(), 10 - 199);
    assert_eq!(after_one::<of_every_kind>(), 9);
}
