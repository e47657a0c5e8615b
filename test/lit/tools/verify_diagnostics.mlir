// What is expected comes, and nothing else: in every place that a comment can name.
// RUN: tile-opt %s --split-input-file --verify-diagnostics -o -

// expected-error @below {{O501: Operation nope.op is not registered}}
"nope.op"() : () -> ()

// -----

"nope.op"() : () -> ()
// expected-error@-1 {{not registered}}

// -----

"nope.op"() : () -> () // expected-error {{Operation nope.op is not registered}}

// -----

// expected-error-re @+1 {{O{{peratio[a-z]+}} nope.{{(op|other)}} is not}}
"nope.op"() : () -> ()

// -----

cuda_tile.module @m {
  // expected-error @below {{O502: `cuda_tile.entry`}}
  "cuda_tile.entry"() <{sym_name = "k", function_type = () -> ()}> ({
  }) : () -> ()
}
