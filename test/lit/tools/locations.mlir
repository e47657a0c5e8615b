// RUN: tile-opt %s --print-debuginfo | filecheck %s
// RUN: tile-opt %s --print-debuginfo | tile-opt --print-debuginfo | filecheck %s

// Operations and block arguments get the place where they stand; a location that is written stays.

// CHECK:       builtin.module {
builtin.module {
  // CHECK-NEXT: %first, %second = "test.op"() : () -> (i32, i32) loc(fused["{{.*}}locations.mlir":9:21, "{{.*}}locations.mlir":9:51])
  %first, %second = "test.op"() : () -> (i32, i32) // a comment is not part of it: "test.op"
  // CHECK-NEXT: "test.op"(%first) {text = "// no comment"} : (i32) -> () loc(fused["{{.*}}":11:3, "{{.*}}":11:59])
  "test.op"(%first) {text = "// no comment"} : (i32) -> ()
  // CHECK-NEXT: "test.op"() ({
  // CHECK-NEXT: ^bb0(%x: i32 loc(fused["{{.*}}":15:10, "{{.*}}":15:12]), %y: i32 loc("k.py":3:4)):
  "test.op"() ({
    ^bb0(%x: i32, %y: i32 loc("k.py":3:4)):
    // CHECK-NEXT: "test.termop"(%x) : (i32) -> () loc("k.py":5:6)
    "test.termop"(%x) : (i32) -> () loc("k.py":5:6)
  // CHECK-NEXT: }) : () -> () loc(fused["{{.*}}":14:3, "{{.*}}":14:16])
  }) : () -> ()
// CHECK-NEXT: } loc(fused["{{.*}}":7:1, "{{.*}}":7:15])
}
