builtin.module {
  ownership.kernel @kernel(%y: !ownership.tensor<[M, N], f32>, %z: !ownership.tensor<[M, N], f32>, %x: !ownership.tensor<[M, N], f32>, %v: !ownership.tensor<[N], i32>, %s: !ownership.tensor<[N], f32>, %b: !ownership.tensor<[N], i32>, %w: !ownership.tensor<[1], i32>, %n: tile<i32>) dtypes ["f32", "f32", "f32", "i32", "f32", "i32", "i32", "i32"] {
    %0 = ownership.partition %y : !ownership.tensor<[M, N], f32> -> !ownership.partition<out tile [4, 8], [M, N], f32>
    %1 = ownership.partition %z : !ownership.tensor<[M, N], f32> -> !ownership.partition<mut tile [4, 8], [M, N], f32>
    %2 = ownership.borrow %x : !ownership.tensor<[M, N], f32> -> !ownership.ref<[M, N], f32>
    %3 = ownership.borrow %v : !ownership.tensor<[N], i32> -> !ownership.ref<[N], i32>
    %4 = ownership.accumulator %s : !ownership.tensor<[N], f32> -> !ownership.acc<[N], f32>
    %5 = ownership.accumulator %b : !ownership.tensor<[N], i32> -> !ownership.acc<[N], i32>
    %6 = ownership.expose %w : !ownership.tensor<[1], i32> -> !ownership.raw<[1], i32>
    ownership.distribute %0, %1 : !ownership.partition<out tile [4, 8], [M, N], f32>, !ownership.partition<mut tile [4, 8], [M, N], f32> {
    ^bb0(%7: tile<i32>, %8: tile<i32>):
      %9 = ownership.region %0[%7, %8] : !ownership.partition<out tile [4, 8], [M, N], f32> -> !ownership.region<out tile [4, 8], [M, N], f32>
      %10 = ownership.region %1[%7, %8] : !ownership.partition<mut tile [4, 8], [M, N], f32> -> !ownership.region<mut tile [4, 8], [M, N], f32>
      %t = ownership.load %2[%7, %8] : !ownership.ref<[M, N], f32> -> tile<4x8xf32>
      %11 = cuda_tile.constant <i32: 0> : tile<i32>
      %i = ownership.load %3[%11] : !ownership.ref<[N], i32> -> tile<8xi32>
      %12 = cuda_tile.bitcast %i : tile<8xi32> -> tile<8xf32>
      %q = cuda_tile.ftof %12 : tile<8xf32> -> tile<8xf8E5M2>
      %13 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %p = cuda_tile.cmpf greater_than ordered %t, %13 : tile<4x8xf32> -> tile<4x8xi1>
// r = fh.exp(t)
      %r = cuda_tile.exp %t : tile<4x8xf32>
// r = fh.exp2(t)
      %r = cuda_tile.exp2 %t : tile<4x8xf32>
// r = fh.log(t)
      %r = cuda_tile.log %t : tile<4x8xf32>
// r = fh.log2(t)
      %r = cuda_tile.log2 %t : tile<4x8xf32>
// r = fh.sqrt(t)
      %r = cuda_tile.sqrt %t : tile<4x8xf32>
// r = fh.rsqrt(t)
      %r = cuda_tile.rsqrt %t : tile<4x8xf32>
// r = fh.sin(t)
      %r = cuda_tile.sin %t : tile<4x8xf32>
// r = fh.cos(t)
      %r = cuda_tile.cos %t : tile<4x8xf32>
// r = fh.tan(t)
      %r = cuda_tile.tan %t : tile<4x8xf32>
// r = fh.sinh(t)
      %r = cuda_tile.sinh %t : tile<4x8xf32>
// r = fh.cosh(t)
      %r = cuda_tile.cosh %t : tile<4x8xf32>
// r = fh.tanh(t)
      %r = cuda_tile.tanh %t : tile<4x8xf32>
// r = fh.erf(t)
      %14 = cuda_tile.absf %t : tile<4x8xf32>
      %15 = cuda_tile.mulf %t, %t : tile<4x8xf32>
      %16 = cuda_tile.constant <f32: 8.39367712E-5> : tile<4x8xf32>
      %17 = cuda_tile.mulf %16, %15 : tile<4x8xf32>
      %18 = cuda_tile.constant <f32: -8.16547079E-4> : tile<4x8xf32>
      %19 = cuda_tile.addf %17, %18 : tile<4x8xf32>
      %20 = cuda_tile.mulf %19, %15 : tile<4x8xf32>
      %21 = cuda_tile.constant <f32: 0.00520488387> : tile<4x8xf32>
      %22 = cuda_tile.addf %20, %21 : tile<4x8xf32>
      %23 = cuda_tile.mulf %22, %15 : tile<4x8xf32>
      %24 = cuda_tile.constant <f32: -0.0268618092> : tile<4x8xf32>
      %25 = cuda_tile.addf %23, %24 : tile<4x8xf32>
      %26 = cuda_tile.mulf %25, %15 : tile<4x8xf32>
      %27 = cuda_tile.constant <f32: 0.112837553> : tile<4x8xf32>
      %28 = cuda_tile.addf %26, %27 : tile<4x8xf32>
      %29 = cuda_tile.mulf %28, %15 : tile<4x8xf32>
      %30 = cuda_tile.constant <f32: -0.376126379> : tile<4x8xf32>
      %31 = cuda_tile.addf %29, %30 : tile<4x8xf32>
      %32 = cuda_tile.mulf %15, %31 : tile<4x8xf32>
      %33 = cuda_tile.constant <f32: 1.12837923> : tile<4x8xf32>
      %34 = cuda_tile.addf %32, %33 : tile<4x8xf32>
      %35 = cuda_tile.mulf %t, %34 : tile<4x8xf32>
      %36 = cuda_tile.constant <f32: 4.000000e+00> : tile<4x8xf32>
      %37 = cuda_tile.minf %14, %36 : tile<4x8xf32>
      %38 = cuda_tile.constant <f32: -2.51326895E-7> : tile<4x8xf32>
      %39 = cuda_tile.mulf %38, %37 : tile<4x8xf32>
      %40 = cuda_tile.constant <f32: 2.53148119E-5> : tile<4x8xf32>
      %41 = cuda_tile.addf %39, %40 : tile<4x8xf32>
      %42 = cuda_tile.mulf %41, %37 : tile<4x8xf32>
      %43 = cuda_tile.constant <f32: -4.63788048E-4> : tile<4x8xf32>
      %44 = cuda_tile.addf %42, %43 : tile<4x8xf32>
      %45 = cuda_tile.mulf %44, %37 : tile<4x8xf32>
      %46 = cuda_tile.constant <f32: 0.00428238278> : tile<4x8xf32>
      %47 = cuda_tile.addf %45, %46 : tile<4x8xf32>
      %48 = cuda_tile.mulf %47, %37 : tile<4x8xf32>
      %49 = cuda_tile.constant <f32: -0.0253735557> : tile<4x8xf32>
      %50 = cuda_tile.addf %48, %49 : tile<4x8xf32>
      %51 = cuda_tile.mulf %50, %37 : tile<4x8xf32>
      %52 = cuda_tile.constant <f32: 0.108638994> : tile<4x8xf32>
      %53 = cuda_tile.addf %51, %52 : tile<4x8xf32>
      %54 = cuda_tile.mulf %53, %37 : tile<4x8xf32>
      %55 = cuda_tile.constant <f32: 0.633039594> : tile<4x8xf32>
      %56 = cuda_tile.addf %54, %55 : tile<4x8xf32>
      %57 = cuda_tile.mulf %56, %37 : tile<4x8xf32>
      %58 = cuda_tile.constant <f32: 1.1296612> : tile<4x8xf32>
      %59 = cuda_tile.addf %57, %58 : tile<4x8xf32>
      %60 = cuda_tile.mulf %59, %37 : tile<4x8xf32>
      %61 = cuda_tile.constant <f32: -2.04359894E-4> : tile<4x8xf32>
      %62 = cuda_tile.addf %60, %61 : tile<4x8xf32>
      %63 = cuda_tile.negf %62 : tile<4x8xf32>
      %64 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %65 = cuda_tile.exp %63 : tile<4x8xf32>
      %66 = cuda_tile.subf %64, %65 : tile<4x8xf32>
      %67 = cuda_tile.negf %66 : tile<4x8xf32>
      %68 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %69 = cuda_tile.cmpf less_than ordered %t, %68 : tile<4x8xf32> -> tile<4x8xi1>
      %70 = cuda_tile.select %69, %67, %66 : tile<4x8xi1>, tile<4x8xf32>
      %71 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %72 = cuda_tile.cmpf less_than ordered %14, %71 : tile<4x8xf32> -> tile<4x8xi1>
      %73 = cuda_tile.select %72, %35, %70 : tile<4x8xi1>, tile<4x8xf32>
      %74 = cuda_tile.cmpf not_equal unordered %t, %t : tile<4x8xf32> -> tile<4x8xi1>
      %r = cuda_tile.select %74, %t, %73 : tile<4x8xi1>, tile<4x8xf32>
// r = fh.sigmoid(t)
      %14 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %15 = cuda_tile.negf %t : tile<4x8xf32>
      %16 = cuda_tile.exp %15 : tile<4x8xf32>
      %17 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %18 = cuda_tile.addf %16, %17 : tile<4x8xf32>
      %r = cuda_tile.divf %14, %18 : tile<4x8xf32>
// r = fh.silu(t)
      %14 = cuda_tile.negf %t : tile<4x8xf32>
      %15 = cuda_tile.exp %14 : tile<4x8xf32>
      %16 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %17 = cuda_tile.addf %15, %16 : tile<4x8xf32>
      %r = cuda_tile.divf %t, %17 : tile<4x8xf32>
// r = fh.gelu(t)
      %14 = cuda_tile.constant <f32: 5.000000e-01> : tile<4x8xf32>
      %15 = cuda_tile.mulf %t, %14 : tile<4x8xf32>
      %16 = cuda_tile.constant <f32: 0.707106769> : tile<4x8xf32>
      %17 = cuda_tile.mulf %t, %16 : tile<4x8xf32>
      %18 = cuda_tile.absf %17 : tile<4x8xf32>
      %19 = cuda_tile.mulf %17, %17 : tile<4x8xf32>
      %20 = cuda_tile.constant <f32: 8.39367712E-5> : tile<4x8xf32>
      %21 = cuda_tile.mulf %20, %19 : tile<4x8xf32>
      %22 = cuda_tile.constant <f32: -8.16547079E-4> : tile<4x8xf32>
      %23 = cuda_tile.addf %21, %22 : tile<4x8xf32>
      %24 = cuda_tile.mulf %23, %19 : tile<4x8xf32>
      %25 = cuda_tile.constant <f32: 0.00520488387> : tile<4x8xf32>
      %26 = cuda_tile.addf %24, %25 : tile<4x8xf32>
      %27 = cuda_tile.mulf %26, %19 : tile<4x8xf32>
      %28 = cuda_tile.constant <f32: -0.0268618092> : tile<4x8xf32>
      %29 = cuda_tile.addf %27, %28 : tile<4x8xf32>
      %30 = cuda_tile.mulf %29, %19 : tile<4x8xf32>
      %31 = cuda_tile.constant <f32: 0.112837553> : tile<4x8xf32>
      %32 = cuda_tile.addf %30, %31 : tile<4x8xf32>
      %33 = cuda_tile.mulf %32, %19 : tile<4x8xf32>
      %34 = cuda_tile.constant <f32: -0.376126379> : tile<4x8xf32>
      %35 = cuda_tile.addf %33, %34 : tile<4x8xf32>
      %36 = cuda_tile.mulf %19, %35 : tile<4x8xf32>
      %37 = cuda_tile.constant <f32: 1.12837923> : tile<4x8xf32>
      %38 = cuda_tile.addf %36, %37 : tile<4x8xf32>
      %39 = cuda_tile.mulf %17, %38 : tile<4x8xf32>
      %40 = cuda_tile.constant <f32: 4.000000e+00> : tile<4x8xf32>
      %41 = cuda_tile.minf %18, %40 : tile<4x8xf32>
      %42 = cuda_tile.constant <f32: -2.51326895E-7> : tile<4x8xf32>
      %43 = cuda_tile.mulf %42, %41 : tile<4x8xf32>
      %44 = cuda_tile.constant <f32: 2.53148119E-5> : tile<4x8xf32>
      %45 = cuda_tile.addf %43, %44 : tile<4x8xf32>
      %46 = cuda_tile.mulf %45, %41 : tile<4x8xf32>
      %47 = cuda_tile.constant <f32: -4.63788048E-4> : tile<4x8xf32>
      %48 = cuda_tile.addf %46, %47 : tile<4x8xf32>
      %49 = cuda_tile.mulf %48, %41 : tile<4x8xf32>
      %50 = cuda_tile.constant <f32: 0.00428238278> : tile<4x8xf32>
      %51 = cuda_tile.addf %49, %50 : tile<4x8xf32>
      %52 = cuda_tile.mulf %51, %41 : tile<4x8xf32>
      %53 = cuda_tile.constant <f32: -0.0253735557> : tile<4x8xf32>
      %54 = cuda_tile.addf %52, %53 : tile<4x8xf32>
      %55 = cuda_tile.mulf %54, %41 : tile<4x8xf32>
      %56 = cuda_tile.constant <f32: 0.108638994> : tile<4x8xf32>
      %57 = cuda_tile.addf %55, %56 : tile<4x8xf32>
      %58 = cuda_tile.mulf %57, %41 : tile<4x8xf32>
      %59 = cuda_tile.constant <f32: 0.633039594> : tile<4x8xf32>
      %60 = cuda_tile.addf %58, %59 : tile<4x8xf32>
      %61 = cuda_tile.mulf %60, %41 : tile<4x8xf32>
      %62 = cuda_tile.constant <f32: 1.1296612> : tile<4x8xf32>
      %63 = cuda_tile.addf %61, %62 : tile<4x8xf32>
      %64 = cuda_tile.mulf %63, %41 : tile<4x8xf32>
      %65 = cuda_tile.constant <f32: -2.04359894E-4> : tile<4x8xf32>
      %66 = cuda_tile.addf %64, %65 : tile<4x8xf32>
      %67 = cuda_tile.negf %66 : tile<4x8xf32>
      %68 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %69 = cuda_tile.exp %67 : tile<4x8xf32>
      %70 = cuda_tile.subf %68, %69 : tile<4x8xf32>
      %71 = cuda_tile.negf %70 : tile<4x8xf32>
      %72 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %73 = cuda_tile.cmpf less_than ordered %17, %72 : tile<4x8xf32> -> tile<4x8xi1>
      %74 = cuda_tile.select %73, %71, %70 : tile<4x8xi1>, tile<4x8xf32>
      %75 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %76 = cuda_tile.cmpf less_than ordered %18, %75 : tile<4x8xf32> -> tile<4x8xi1>
      %77 = cuda_tile.select %76, %39, %74 : tile<4x8xi1>, tile<4x8xf32>
      %78 = cuda_tile.cmpf not_equal unordered %17, %17 : tile<4x8xf32> -> tile<4x8xi1>
      %79 = cuda_tile.select %78, %17, %77 : tile<4x8xi1>, tile<4x8xf32>
      %80 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %81 = cuda_tile.addf %79, %80 : tile<4x8xf32>
      %r = cuda_tile.mulf %15, %81 : tile<4x8xf32>
// r = fh.log1p(t)
      %14 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
      %15 = cuda_tile.addf %t, %14 : tile<4x8xf32>
      %16 = cuda_tile.divf %t, %15 : tile<4x8xf32>
      %17 = cuda_tile.mulf %16, %16 : tile<4x8xf32>
      %18 = cuda_tile.constant <f32: 0.237587944> : tile<4x8xf32>
      %19 = cuda_tile.mulf %18, %17 : tile<4x8xf32>
      %20 = cuda_tile.constant <f32: 0.285321355> : tile<4x8xf32>
      %21 = cuda_tile.addf %19, %20 : tile<4x8xf32>
      %22 = cuda_tile.mulf %21, %17 : tile<4x8xf32>
      %23 = cuda_tile.constant <f32: 0.400003195> : tile<4x8xf32>
      %24 = cuda_tile.addf %22, %23 : tile<4x8xf32>
      %25 = cuda_tile.mulf %24, %17 : tile<4x8xf32>
      %26 = cuda_tile.constant <f32: 0.666666686> : tile<4x8xf32>
      %27 = cuda_tile.addf %25, %26 : tile<4x8xf32>
      %28 = cuda_tile.mulf %17, %27 : tile<4x8xf32>
      %29 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
      %30 = cuda_tile.addf %28, %29 : tile<4x8xf32>
      %31 = cuda_tile.mulf %16, %30 : tile<4x8xf32>
      %32 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %33 = cuda_tile.addf %t, %32 : tile<4x8xf32>
      %34 = cuda_tile.log %33 : tile<4x8xf32>
      %35 = cuda_tile.constant <f32: 1.250000e-01> : tile<4x8xf32>
      %36 = cuda_tile.subf %t, %35 : tile<4x8xf32>
      %37 = cuda_tile.absf %36 : tile<4x8xf32>
      %38 = cuda_tile.constant <f32: 3.750000e-01> : tile<4x8xf32>
      %39 = cuda_tile.cmpf less_than ordered %37, %38 : tile<4x8xf32> -> tile<4x8xi1>
      %r = cuda_tile.select %39, %31, %34 : tile<4x8xi1>, tile<4x8xf32>
// r = fh.expm1(t)
      %14 = cuda_tile.mulf %t, %t : tile<4x8xf32>
      %15 = cuda_tile.constant <f32: 2.49570458E-5> : tile<4x8xf32>
      %16 = cuda_tile.mulf %15, %t : tile<4x8xf32>
      %17 = cuda_tile.constant <f32: 1.99621849E-4> : tile<4x8xf32>
      %18 = cuda_tile.addf %16, %17 : tile<4x8xf32>
      %19 = cuda_tile.mulf %18, %t : tile<4x8xf32>
      %20 = cuda_tile.constant <f32: 0.00138886075> : tile<4x8xf32>
      %21 = cuda_tile.addf %19, %20 : tile<4x8xf32>
      %22 = cuda_tile.mulf %21, %t : tile<4x8xf32>
      %23 = cuda_tile.constant <f32: 0.00833318196> : tile<4x8xf32>
      %24 = cuda_tile.addf %22, %23 : tile<4x8xf32>
      %25 = cuda_tile.mulf %24, %t : tile<4x8xf32>
      %26 = cuda_tile.constant <f32: 0.0416666679> : tile<4x8xf32>
      %27 = cuda_tile.addf %25, %26 : tile<4x8xf32>
      %28 = cuda_tile.mulf %27, %t : tile<4x8xf32>
      %29 = cuda_tile.constant <f32: 0.166666672> : tile<4x8xf32>
      %30 = cuda_tile.addf %28, %29 : tile<4x8xf32>
      %31 = cuda_tile.mulf %30, %t : tile<4x8xf32>
      %32 = cuda_tile.constant <f32: 5.000000e-01> : tile<4x8xf32>
      %33 = cuda_tile.addf %31, %32 : tile<4x8xf32>
      %34 = cuda_tile.mulf %14, %33 : tile<4x8xf32>
      %35 = cuda_tile.addf %34, %t : tile<4x8xf32>
      %36 = cuda_tile.exp %t : tile<4x8xf32>
      %37 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %38 = cuda_tile.subf %36, %37 : tile<4x8xf32>
      %39 = cuda_tile.absf %t : tile<4x8xf32>
      %40 = cuda_tile.constant <f32: 5.000000e-01> : tile<4x8xf32>
      %41 = cuda_tile.cmpf less_than ordered %39, %40 : tile<4x8xf32> -> tile<4x8xi1>
      %r = cuda_tile.select %41, %35, %38 : tile<4x8xi1>, tile<4x8xf32>
// r = fh.floor(t)
      %r = cuda_tile.floor %t : tile<4x8xf32>
// r = fh.ceil(t)
      %r = cuda_tile.ceil %t : tile<4x8xf32>
// r = fh.abs(t)
      %r = cuda_tile.absf %t : tile<4x8xf32>
// r = fh.isnan(t)
      %r = cuda_tile.cmpf not_equal unordered %t, %t : tile<4x8xf32> -> tile<4x8xi1>
// r = fh.isinf(t)
      %14 = cuda_tile.absf %t : tile<4x8xf32>
      %15 = cuda_tile.constant <f32: 0x7F800000> : tile<4x8xf32>
      %r = cuda_tile.cmpf equal ordered %14, %15 : tile<4x8xf32> -> tile<4x8xi1>
// r = fh.isfinite(t)
      %14 = cuda_tile.absf %t : tile<4x8xf32>
      %15 = cuda_tile.constant <f32: 0x7F800000> : tile<4x8xf32>
      %r = cuda_tile.cmpf less_than ordered %14, %15 : tile<4x8xf32> -> tile<4x8xi1>
// r = fh.sign(t)
      %14 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %15 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %16 = cuda_tile.cmpf less_than ordered %t, %14 : tile<4x8xf32> -> tile<4x8xi1>
      %17 = cuda_tile.constant <f32: -1.000000e+00> : tile<4x8xf32>
      %18 = cuda_tile.select %16, %17, %t : tile<4x8xi1>, tile<4x8xf32>
      %19 = cuda_tile.cmpf greater_than ordered %t, %14 : tile<4x8xf32> -> tile<4x8xi1>
      %r = cuda_tile.select %19, %15, %18 : tile<4x8xi1>, tile<4x8xf32>
// r = fh.round(t)
      %14 = cuda_tile.floor %t : tile<4x8xf32>
      %15 = cuda_tile.subf %t, %14 : tile<4x8xf32>
      %16 = cuda_tile.constant <f32: 5.000000e-01> : tile<4x8xf32>
      %17 = cuda_tile.mulf %14, %16 : tile<4x8xf32>
      %18 = cuda_tile.floor %17 : tile<4x8xf32>
      %19 = cuda_tile.cmpf not_equal unordered %17, %18 : tile<4x8xf32> -> tile<4x8xi1>
      %20 = cuda_tile.constant <f32: 5.000000e-01> : tile<4x8xf32>
      %21 = cuda_tile.cmpf equal ordered %15, %20 : tile<4x8xf32> -> tile<4x8xi1>
      %22 = cuda_tile.andi %21, %19 : tile<4x8xi1>
      %23 = cuda_tile.constant <f32: 5.000000e-01> : tile<4x8xf32>
      %24 = cuda_tile.cmpf greater_than ordered %15, %23 : tile<4x8xf32> -> tile<4x8xi1>
      %25 = cuda_tile.ori %24, %22 : tile<4x8xi1>
      %26 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %27 = cuda_tile.addf %14, %26 : tile<4x8xf32>
      %r = cuda_tile.select %25, %27, %14 : tile<4x8xi1>, tile<4x8xf32>
// r = fh.atan2(t, t)
      %r = cuda_tile.atan2 %t, %t : tile<4x8xf32>
// r = fh.maximum(t, t)
      %r = cuda_tile.maxf %t, %t propagate_nan : tile<4x8xf32>
// r = fh.minimum(t, t)
      %r = cuda_tile.minf %t, %t propagate_nan : tile<4x8xf32>
// r = fh.fmod(t, t)
      %r = cuda_tile.remf %t, %t : tile<4x8xf32>
// r = fh.add(t, t, rounding=fh.Rounding.UP)
      %r = cuda_tile.addf %t, %t rounding<positive_inf> : tile<4x8xf32>
// r = fh.subtract(t, t, rounding=fh.Rounding.UP)
      %r = cuda_tile.subf %t, %t rounding<positive_inf> : tile<4x8xf32>
// r = fh.multiply(t, t, rounding=fh.Rounding.UP)
      %r = cuda_tile.mulf %t, %t rounding<positive_inf> : tile<4x8xf32>
// r = fh.divide(t, t, rounding=fh.Rounding.UP)
      %r = cuda_tile.divf %t, %t rounding<positive_inf> : tile<4x8xf32>
// r = fh.sum(t, axis=1, keepdims=True)
      %14 = cuda_tile.reduce %t dim=1 identities=[0.000000e+00 : f32] : tile<4x8xf32> -> tile<4xf32>
      (%15: tile<f32>, %16: tile<f32>) {
        %17 = cuda_tile.addf %15, %16 : tile<f32>
        cuda_tile.yield %17 : tile<f32>
      }
      %r = cuda_tile.reshape %14 : tile<4xf32> -> tile<4x1xf32>
// r = fh.prod(t, axis=1, keepdims=True)
      %14 = cuda_tile.reduce %t dim=1 identities=[1.000000e+00 : f32] : tile<4x8xf32> -> tile<4xf32>
      (%15: tile<f32>, %16: tile<f32>) {
        %17 = cuda_tile.mulf %15, %16 : tile<f32>
        cuda_tile.yield %17 : tile<f32>
      }
      %r = cuda_tile.reshape %14 : tile<4xf32> -> tile<4x1xf32>
// r = fh.max(t, axis=1, keepdims=True)
      %14 = cuda_tile.reduce %t dim=1 identities=[0xFF800000 : f32] : tile<4x8xf32> -> tile<4xf32>
      (%15: tile<f32>, %16: tile<f32>) {
        %17 = cuda_tile.maxf %15, %16 propagate_nan : tile<f32>
        cuda_tile.yield %17 : tile<f32>
      }
      %r = cuda_tile.reshape %14 : tile<4xf32> -> tile<4x1xf32>
// r = fh.min(t, axis=1, keepdims=True)
      %14 = cuda_tile.reduce %t dim=1 identities=[0x7F800000 : f32] : tile<4x8xf32> -> tile<4xf32>
      (%15: tile<f32>, %16: tile<f32>) {
        %17 = cuda_tile.minf %15, %16 propagate_nan : tile<f32>
        cuda_tile.yield %17 : tile<f32>
      }
      %r = cuda_tile.reshape %14 : tile<4xf32> -> tile<4x1xf32>
// r = fh.argmax(t, axis=1, keepdims=True)
      %14 = cuda_tile.iota : tile<8xi32>
      %15 = cuda_tile.reshape %14 : tile<8xi32> -> tile<1x8xi32>
      %16 = cuda_tile.broadcast %15 : tile<1x8xi32> -> tile<4x8xi32>
      %17, %18 = cuda_tile.reduce %t, %16 dim=1 identities=[0xFF800000 : f32, 2147483647 : i32] : tile<4x8xf32>, tile<4x8xi32> -> tile<4xf32>, tile<4xi32>
      (%19: tile<f32>, %20: tile<f32>, %21: tile<i32>, %22: tile<i32>) {
        %23 = cuda_tile.cmpf greater_than ordered %19, %20 : tile<f32> -> tile<i1>
        %24 = cuda_tile.cmpf not_equal unordered %19, %19 : tile<f32> -> tile<i1>
        %25 = cuda_tile.cmpf not_equal unordered %20, %20 : tile<f32> -> tile<i1>
        %26 = cuda_tile.constant <i1: false> : tile<i1>
        %27 = cuda_tile.cmpi equal %25, %26, unsigned : tile<i1> -> tile<i1>
        %28 = cuda_tile.andi %24, %27 : tile<i1>
        %29 = cuda_tile.ori %23, %28 : tile<i1>
        %30 = cuda_tile.cmpf equal ordered %19, %20 : tile<f32> -> tile<i1>
        %31 = cuda_tile.andi %24, %25 : tile<i1>
        %32 = cuda_tile.ori %30, %31 : tile<i1>
        %33 = cuda_tile.cmpi less_than %21, %22, signed : tile<i32> -> tile<i1>
        %34 = cuda_tile.andi %32, %33 : tile<i1>
        %35 = cuda_tile.ori %29, %34 : tile<i1>
        %36 = cuda_tile.select %35, %19, %20 : tile<i1>, tile<f32>
        %37 = cuda_tile.select %35, %21, %22 : tile<i1>, tile<i32>
        cuda_tile.yield %36, %37 : tile<f32>, tile<i32>
      }
      %r = cuda_tile.reshape %18 : tile<4xi32> -> tile<4x1xi32>
// r = fh.argmin(t, axis=1, keepdims=True)
      %14 = cuda_tile.iota : tile<8xi32>
      %15 = cuda_tile.reshape %14 : tile<8xi32> -> tile<1x8xi32>
      %16 = cuda_tile.broadcast %15 : tile<1x8xi32> -> tile<4x8xi32>
      %17, %18 = cuda_tile.reduce %t, %16 dim=1 identities=[0x7F800000 : f32, 2147483647 : i32] : tile<4x8xf32>, tile<4x8xi32> -> tile<4xf32>, tile<4xi32>
      (%19: tile<f32>, %20: tile<f32>, %21: tile<i32>, %22: tile<i32>) {
        %23 = cuda_tile.cmpf less_than ordered %19, %20 : tile<f32> -> tile<i1>
        %24 = cuda_tile.cmpf not_equal unordered %19, %19 : tile<f32> -> tile<i1>
        %25 = cuda_tile.cmpf not_equal unordered %20, %20 : tile<f32> -> tile<i1>
        %26 = cuda_tile.constant <i1: false> : tile<i1>
        %27 = cuda_tile.cmpi equal %25, %26, unsigned : tile<i1> -> tile<i1>
        %28 = cuda_tile.andi %24, %27 : tile<i1>
        %29 = cuda_tile.ori %23, %28 : tile<i1>
        %30 = cuda_tile.cmpf equal ordered %19, %20 : tile<f32> -> tile<i1>
        %31 = cuda_tile.andi %24, %25 : tile<i1>
        %32 = cuda_tile.ori %30, %31 : tile<i1>
        %33 = cuda_tile.cmpi less_than %21, %22, signed : tile<i32> -> tile<i1>
        %34 = cuda_tile.andi %32, %33 : tile<i1>
        %35 = cuda_tile.ori %29, %34 : tile<i1>
        %36 = cuda_tile.select %35, %19, %20 : tile<i1>, tile<f32>
        %37 = cuda_tile.select %35, %21, %22 : tile<i1>, tile<i32>
        cuda_tile.yield %36, %37 : tile<f32>, tile<i32>
      }
      %r = cuda_tile.reshape %18 : tile<4xi32> -> tile<4x1xi32>
// r = t.sum(axis=(0, 1), keepdims=True)
      %14 = cuda_tile.reduce %t dim=1 identities=[0.000000e+00 : f32] : tile<4x8xf32> -> tile<4xf32>
      (%15: tile<f32>, %16: tile<f32>) {
        %17 = cuda_tile.addf %15, %16 : tile<f32>
        cuda_tile.yield %17 : tile<f32>
      }
      %18 = cuda_tile.reduce %14 dim=0 identities=[0.000000e+00 : f32] : tile<4xf32> -> tile<f32>
      (%19: tile<f32>, %20: tile<f32>) {
        %21 = cuda_tile.addf %19, %20 : tile<f32>
        cuda_tile.yield %21 : tile<f32>
      }
      %r = cuda_tile.reshape %18 : tile<f32> -> tile<1x1xf32>
// r = t.prod(axis=(0, 1), keepdims=True)
      %14 = cuda_tile.reduce %t dim=1 identities=[1.000000e+00 : f32] : tile<4x8xf32> -> tile<4xf32>
      (%15: tile<f32>, %16: tile<f32>) {
        %17 = cuda_tile.mulf %15, %16 : tile<f32>
        cuda_tile.yield %17 : tile<f32>
      }
      %18 = cuda_tile.reduce %14 dim=0 identities=[1.000000e+00 : f32] : tile<4xf32> -> tile<f32>
      (%19: tile<f32>, %20: tile<f32>) {
        %21 = cuda_tile.mulf %19, %20 : tile<f32>
        cuda_tile.yield %21 : tile<f32>
      }
      %r = cuda_tile.reshape %18 : tile<f32> -> tile<1x1xf32>
// r = t.max(axis=(0, 1), keepdims=True)
      %14 = cuda_tile.reduce %t dim=1 identities=[0xFF800000 : f32] : tile<4x8xf32> -> tile<4xf32>
      (%15: tile<f32>, %16: tile<f32>) {
        %17 = cuda_tile.maxf %15, %16 propagate_nan : tile<f32>
        cuda_tile.yield %17 : tile<f32>
      }
      %18 = cuda_tile.reduce %14 dim=0 identities=[0xFF800000 : f32] : tile<4xf32> -> tile<f32>
      (%19: tile<f32>, %20: tile<f32>) {
        %21 = cuda_tile.maxf %19, %20 propagate_nan : tile<f32>
        cuda_tile.yield %21 : tile<f32>
      }
      %r = cuda_tile.reshape %18 : tile<f32> -> tile<1x1xf32>
// r = t.min(axis=(0, 1), keepdims=True)
      %14 = cuda_tile.reduce %t dim=1 identities=[0x7F800000 : f32] : tile<4x8xf32> -> tile<4xf32>
      (%15: tile<f32>, %16: tile<f32>) {
        %17 = cuda_tile.minf %15, %16 propagate_nan : tile<f32>
        cuda_tile.yield %17 : tile<f32>
      }
      %18 = cuda_tile.reduce %14 dim=0 identities=[0x7F800000 : f32] : tile<4xf32> -> tile<f32>
      (%19: tile<f32>, %20: tile<f32>) {
        %21 = cuda_tile.minf %19, %20 propagate_nan : tile<f32>
        cuda_tile.yield %21 : tile<f32>
      }
      %r = cuda_tile.reshape %18 : tile<f32> -> tile<1x1xf32>
// r = t.argmax(1, keepdims=False)
      %14 = cuda_tile.iota : tile<8xi32>
      %15 = cuda_tile.reshape %14 : tile<8xi32> -> tile<1x8xi32>
      %16 = cuda_tile.broadcast %15 : tile<1x8xi32> -> tile<4x8xi32>
      %17, %r = cuda_tile.reduce %t, %16 dim=1 identities=[0xFF800000 : f32, 2147483647 : i32] : tile<4x8xf32>, tile<4x8xi32> -> tile<4xf32>, tile<4xi32>
      (%18: tile<f32>, %19: tile<f32>, %20: tile<i32>, %21: tile<i32>) {
        %22 = cuda_tile.cmpf greater_than ordered %18, %19 : tile<f32> -> tile<i1>
        %23 = cuda_tile.cmpf not_equal unordered %18, %18 : tile<f32> -> tile<i1>
        %24 = cuda_tile.cmpf not_equal unordered %19, %19 : tile<f32> -> tile<i1>
        %25 = cuda_tile.constant <i1: false> : tile<i1>
        %26 = cuda_tile.cmpi equal %24, %25, unsigned : tile<i1> -> tile<i1>
        %27 = cuda_tile.andi %23, %26 : tile<i1>
        %28 = cuda_tile.ori %22, %27 : tile<i1>
        %29 = cuda_tile.cmpf equal ordered %18, %19 : tile<f32> -> tile<i1>
        %30 = cuda_tile.andi %23, %24 : tile<i1>
        %31 = cuda_tile.ori %29, %30 : tile<i1>
        %32 = cuda_tile.cmpi less_than %20, %21, signed : tile<i32> -> tile<i1>
        %33 = cuda_tile.andi %31, %32 : tile<i1>
        %34 = cuda_tile.ori %28, %33 : tile<i1>
        %35 = cuda_tile.select %34, %18, %19 : tile<i1>, tile<f32>
        %36 = cuda_tile.select %34, %20, %21 : tile<i1>, tile<i32>
        cuda_tile.yield %35, %36 : tile<f32>, tile<i32>
      }
// r = t.argmin(1, keepdims=False)
      %14 = cuda_tile.iota : tile<8xi32>
      %15 = cuda_tile.reshape %14 : tile<8xi32> -> tile<1x8xi32>
      %16 = cuda_tile.broadcast %15 : tile<1x8xi32> -> tile<4x8xi32>
      %17, %r = cuda_tile.reduce %t, %16 dim=1 identities=[0x7F800000 : f32, 2147483647 : i32] : tile<4x8xf32>, tile<4x8xi32> -> tile<4xf32>, tile<4xi32>
      (%18: tile<f32>, %19: tile<f32>, %20: tile<i32>, %21: tile<i32>) {
        %22 = cuda_tile.cmpf less_than ordered %18, %19 : tile<f32> -> tile<i1>
        %23 = cuda_tile.cmpf not_equal unordered %18, %18 : tile<f32> -> tile<i1>
        %24 = cuda_tile.cmpf not_equal unordered %19, %19 : tile<f32> -> tile<i1>
        %25 = cuda_tile.constant <i1: false> : tile<i1>
        %26 = cuda_tile.cmpi equal %24, %25, unsigned : tile<i1> -> tile<i1>
        %27 = cuda_tile.andi %23, %26 : tile<i1>
        %28 = cuda_tile.ori %22, %27 : tile<i1>
        %29 = cuda_tile.cmpf equal ordered %18, %19 : tile<f32> -> tile<i1>
        %30 = cuda_tile.andi %23, %24 : tile<i1>
        %31 = cuda_tile.ori %29, %30 : tile<i1>
        %32 = cuda_tile.cmpi less_than %20, %21, signed : tile<i32> -> tile<i1>
        %33 = cuda_tile.andi %31, %32 : tile<i1>
        %34 = cuda_tile.ori %28, %33 : tile<i1>
        %35 = cuda_tile.select %34, %18, %19 : tile<i1>, tile<f32>
        %36 = cuda_tile.select %34, %20, %21 : tile<i1>, tile<i32>
        cuda_tile.yield %35, %36 : tile<f32>, tile<i32>
      }
// r = p.any(axis=0, keepdims=True)
      %14 = cuda_tile.reduce %p dim=0 identities=[false] : tile<4x8xi1> -> tile<8xi1>
      (%15: tile<i1>, %16: tile<i1>) {
        %17 = cuda_tile.ori %15, %16 : tile<i1>
        cuda_tile.yield %17 : tile<i1>
      }
      %r = cuda_tile.reshape %14 : tile<8xi1> -> tile<1x8xi1>
// r = p.all(axis=0, keepdims=True)
      %14 = cuda_tile.reduce %p dim=0 identities=[true] : tile<4x8xi1> -> tile<8xi1>
      (%15: tile<i1>, %16: tile<i1>) {
        %17 = cuda_tile.andi %15, %16 : tile<i1>
        cuda_tile.yield %17 : tile<i1>
      }
      %r = cuda_tile.reshape %14 : tile<8xi1> -> tile<1x8xi1>
// r = fh.any(p, 1)
      %r = cuda_tile.reduce %p dim=1 identities=[false] : tile<4x8xi1> -> tile<4xi1>
      (%14: tile<i1>, %15: tile<i1>) {
        %16 = cuda_tile.ori %14, %15 : tile<i1>
        cuda_tile.yield %16 : tile<i1>
      }
// r = fh.all(p, 1)
      %r = cuda_tile.reduce %p dim=1 identities=[true] : tile<4x8xi1> -> tile<4xi1>
      (%14: tile<i1>, %15: tile<i1>) {
        %16 = cuda_tile.andi %14, %15 : tile<i1>
        cuda_tile.yield %16 : tile<i1>
      }
// r = fh.cumsum(t, axis=1, reverse=True)
      %r = cuda_tile.scan %t dim=1 reverse=true identities=[0.000000e+00 : f32] : tile<4x8xf32> -> tile<4x8xf32>
      (%14: tile<f32>, %15: tile<f32>) {
        %16 = cuda_tile.addf %14, %15 : tile<f32>
        cuda_tile.yield %16 : tile<f32>
      }
// r = fh.cumprod(t, axis=1, reverse=True)
      %r = cuda_tile.scan %t dim=1 reverse=true identities=[1.000000e+00 : f32] : tile<4x8xf32> -> tile<4x8xf32>
      (%14: tile<f32>, %15: tile<f32>) {
        %16 = cuda_tile.mulf %14, %15 : tile<f32>
        cuda_tile.yield %16 : tile<f32>
      }
// r = t.cumsum(1, reverse=False)
      %r = cuda_tile.scan %t dim=1 reverse=false identities=[0.000000e+00 : f32] : tile<4x8xf32> -> tile<4x8xf32>
      (%14: tile<f32>, %15: tile<f32>) {
        %16 = cuda_tile.addf %14, %15 : tile<f32>
        cuda_tile.yield %16 : tile<f32>
      }
// r = t.cumprod(1, reverse=False)
      %r = cuda_tile.scan %t dim=1 reverse=false identities=[1.000000e+00 : f32] : tile<4x8xf32> -> tile<4x8xf32>
      (%14: tile<f32>, %15: tile<f32>) {
        %16 = cuda_tile.mulf %14, %15 : tile<f32>
        cuda_tile.yield %16 : tile<f32>
      }
// r = fh.sort(t, axis=1)
      %14 = cuda_tile.reshape %t : tile<4x8xf32> -> tile<4x4x2x1xf32>
      %15 = cuda_tile.constant <i32: 0> : tile<i32>
      %16 = cuda_tile.constant <i32: 0> : tile<i32>
      %17 = cuda_tile.constant <i32: 0> : tile<i32>
      %18 = cuda_tile.constant <i32: 0> : tile<i32>
      %19 = cuda_tile.extract %14[%15, %16, %17, %18] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %20 = cuda_tile.constant <i32: 0> : tile<i32>
      %21 = cuda_tile.constant <i32: 0> : tile<i32>
      %22 = cuda_tile.constant <i32: 1> : tile<i32>
      %23 = cuda_tile.constant <i32: 0> : tile<i32>
      %24 = cuda_tile.extract %14[%20, %21, %22, %23] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %25 = cuda_tile.cmpf less_than ordered %24, %19 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %26 = cuda_tile.cmpf not_equal unordered %24, %24 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %27 = cuda_tile.cmpf not_equal unordered %19, %19 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %28 = cuda_tile.constant <i1: false> : tile<4x4x1x1xi1>
      %29 = cuda_tile.cmpi equal %26, %28, unsigned : tile<4x4x1x1xi1> -> tile<4x4x1x1xi1>
      %30 = cuda_tile.andi %27, %29 : tile<4x4x1x1xi1>
      %31 = cuda_tile.ori %25, %30 : tile<4x4x1x1xi1>
      %32 = cuda_tile.iota : tile<4xi32>
      %33 = cuda_tile.reshape %32 : tile<4xi32> -> tile<1x4x1x1xi32>
      %34 = cuda_tile.constant <i32: 1> : tile<1x4x1x1xi32>
      %35 = cuda_tile.andi %33, %34 : tile<1x4x1x1xi32>
      %36 = cuda_tile.constant <i32: 0> : tile<1x4x1x1xi32>
      %37 = cuda_tile.cmpi not_equal %35, %36, signed : tile<1x4x1x1xi32> -> tile<1x4x1x1xi1>
      %38 = cuda_tile.broadcast %37 : tile<1x4x1x1xi1> -> tile<4x4x1x1xi1>
      %39 = cuda_tile.xori %31, %38 : tile<4x4x1x1xi1>
      %40 = cuda_tile.select %39, %24, %19 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %41 = cuda_tile.select %39, %19, %24 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %42 = cuda_tile.cat %40, %41 dim = 2 : tile<4x4x1x1xf32>, tile<4x4x1x1xf32> -> tile<4x4x2x1xf32>
      %43 = cuda_tile.reshape %42 : tile<4x4x2x1xf32> -> tile<4x8xf32>
      %44 = cuda_tile.reshape %43 : tile<4x8xf32> -> tile<4x2x2x2xf32>
      %45 = cuda_tile.constant <i32: 0> : tile<i32>
      %46 = cuda_tile.constant <i32: 0> : tile<i32>
      %47 = cuda_tile.constant <i32: 0> : tile<i32>
      %48 = cuda_tile.constant <i32: 0> : tile<i32>
      %49 = cuda_tile.extract %44[%45, %46, %47, %48] : tile<4x2x2x2xf32> -> tile<4x2x1x2xf32>
      %50 = cuda_tile.constant <i32: 0> : tile<i32>
      %51 = cuda_tile.constant <i32: 0> : tile<i32>
      %52 = cuda_tile.constant <i32: 1> : tile<i32>
      %53 = cuda_tile.constant <i32: 0> : tile<i32>
      %54 = cuda_tile.extract %44[%50, %51, %52, %53] : tile<4x2x2x2xf32> -> tile<4x2x1x2xf32>
      %55 = cuda_tile.cmpf less_than ordered %54, %49 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %56 = cuda_tile.cmpf not_equal unordered %54, %54 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %57 = cuda_tile.cmpf not_equal unordered %49, %49 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %58 = cuda_tile.constant <i1: false> : tile<4x2x1x2xi1>
      %59 = cuda_tile.cmpi equal %56, %58, unsigned : tile<4x2x1x2xi1> -> tile<4x2x1x2xi1>
      %60 = cuda_tile.andi %57, %59 : tile<4x2x1x2xi1>
      %61 = cuda_tile.ori %55, %60 : tile<4x2x1x2xi1>
      %62 = cuda_tile.iota : tile<2xi32>
      %63 = cuda_tile.reshape %62 : tile<2xi32> -> tile<1x2x1x1xi32>
      %64 = cuda_tile.constant <i32: 1> : tile<1x2x1x1xi32>
      %65 = cuda_tile.andi %63, %64 : tile<1x2x1x1xi32>
      %66 = cuda_tile.constant <i32: 0> : tile<1x2x1x1xi32>
      %67 = cuda_tile.cmpi not_equal %65, %66, signed : tile<1x2x1x1xi32> -> tile<1x2x1x1xi1>
      %68 = cuda_tile.broadcast %67 : tile<1x2x1x1xi1> -> tile<4x2x1x2xi1>
      %69 = cuda_tile.xori %61, %68 : tile<4x2x1x2xi1>
      %70 = cuda_tile.select %69, %54, %49 : tile<4x2x1x2xi1>, tile<4x2x1x2xf32>
      %71 = cuda_tile.select %69, %49, %54 : tile<4x2x1x2xi1>, tile<4x2x1x2xf32>
      %72 = cuda_tile.cat %70, %71 dim = 2 : tile<4x2x1x2xf32>, tile<4x2x1x2xf32> -> tile<4x2x2x2xf32>
      %73 = cuda_tile.reshape %72 : tile<4x2x2x2xf32> -> tile<4x8xf32>
      %74 = cuda_tile.reshape %73 : tile<4x8xf32> -> tile<4x4x2x1xf32>
      %75 = cuda_tile.constant <i32: 0> : tile<i32>
      %76 = cuda_tile.constant <i32: 0> : tile<i32>
      %77 = cuda_tile.constant <i32: 0> : tile<i32>
      %78 = cuda_tile.constant <i32: 0> : tile<i32>
      %79 = cuda_tile.extract %74[%75, %76, %77, %78] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %80 = cuda_tile.constant <i32: 0> : tile<i32>
      %81 = cuda_tile.constant <i32: 0> : tile<i32>
      %82 = cuda_tile.constant <i32: 1> : tile<i32>
      %83 = cuda_tile.constant <i32: 0> : tile<i32>
      %84 = cuda_tile.extract %74[%80, %81, %82, %83] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %85 = cuda_tile.cmpf less_than ordered %84, %79 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %86 = cuda_tile.cmpf not_equal unordered %84, %84 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %87 = cuda_tile.cmpf not_equal unordered %79, %79 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %88 = cuda_tile.constant <i1: false> : tile<4x4x1x1xi1>
      %89 = cuda_tile.cmpi equal %86, %88, unsigned : tile<4x4x1x1xi1> -> tile<4x4x1x1xi1>
      %90 = cuda_tile.andi %87, %89 : tile<4x4x1x1xi1>
      %91 = cuda_tile.ori %85, %90 : tile<4x4x1x1xi1>
      %92 = cuda_tile.iota : tile<4xi32>
      %93 = cuda_tile.reshape %92 : tile<4xi32> -> tile<1x4x1x1xi32>
      %94 = cuda_tile.constant <i32: 2> : tile<1x4x1x1xi32>
      %95 = cuda_tile.andi %93, %94 : tile<1x4x1x1xi32>
      %96 = cuda_tile.constant <i32: 0> : tile<1x4x1x1xi32>
      %97 = cuda_tile.cmpi not_equal %95, %96, signed : tile<1x4x1x1xi32> -> tile<1x4x1x1xi1>
      %98 = cuda_tile.broadcast %97 : tile<1x4x1x1xi1> -> tile<4x4x1x1xi1>
      %99 = cuda_tile.xori %91, %98 : tile<4x4x1x1xi1>
      %100 = cuda_tile.select %99, %84, %79 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %101 = cuda_tile.select %99, %79, %84 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %102 = cuda_tile.cat %100, %101 dim = 2 : tile<4x4x1x1xf32>, tile<4x4x1x1xf32> -> tile<4x4x2x1xf32>
      %103 = cuda_tile.reshape %102 : tile<4x4x2x1xf32> -> tile<4x8xf32>
      %104 = cuda_tile.reshape %103 : tile<4x8xf32> -> tile<4x1x2x4xf32>
      %105 = cuda_tile.constant <i32: 0> : tile<i32>
      %106 = cuda_tile.constant <i32: 0> : tile<i32>
      %107 = cuda_tile.constant <i32: 0> : tile<i32>
      %108 = cuda_tile.constant <i32: 0> : tile<i32>
      %109 = cuda_tile.extract %104[%105, %106, %107, %108] : tile<4x1x2x4xf32> -> tile<4x1x1x4xf32>
      %110 = cuda_tile.constant <i32: 0> : tile<i32>
      %111 = cuda_tile.constant <i32: 0> : tile<i32>
      %112 = cuda_tile.constant <i32: 1> : tile<i32>
      %113 = cuda_tile.constant <i32: 0> : tile<i32>
      %114 = cuda_tile.extract %104[%110, %111, %112, %113] : tile<4x1x2x4xf32> -> tile<4x1x1x4xf32>
      %115 = cuda_tile.cmpf less_than ordered %114, %109 : tile<4x1x1x4xf32> -> tile<4x1x1x4xi1>
      %116 = cuda_tile.cmpf not_equal unordered %114, %114 : tile<4x1x1x4xf32> -> tile<4x1x1x4xi1>
      %117 = cuda_tile.cmpf not_equal unordered %109, %109 : tile<4x1x1x4xf32> -> tile<4x1x1x4xi1>
      %118 = cuda_tile.constant <i1: false> : tile<4x1x1x4xi1>
      %119 = cuda_tile.cmpi equal %116, %118, unsigned : tile<4x1x1x4xi1> -> tile<4x1x1x4xi1>
      %120 = cuda_tile.andi %117, %119 : tile<4x1x1x4xi1>
      %121 = cuda_tile.ori %115, %120 : tile<4x1x1x4xi1>
      %122 = cuda_tile.select %121, %114, %109 : tile<4x1x1x4xi1>, tile<4x1x1x4xf32>
      %123 = cuda_tile.select %121, %109, %114 : tile<4x1x1x4xi1>, tile<4x1x1x4xf32>
      %124 = cuda_tile.cat %122, %123 dim = 2 : tile<4x1x1x4xf32>, tile<4x1x1x4xf32> -> tile<4x1x2x4xf32>
      %125 = cuda_tile.reshape %124 : tile<4x1x2x4xf32> -> tile<4x8xf32>
      %126 = cuda_tile.reshape %125 : tile<4x8xf32> -> tile<4x2x2x2xf32>
      %127 = cuda_tile.constant <i32: 0> : tile<i32>
      %128 = cuda_tile.constant <i32: 0> : tile<i32>
      %129 = cuda_tile.constant <i32: 0> : tile<i32>
      %130 = cuda_tile.constant <i32: 0> : tile<i32>
      %131 = cuda_tile.extract %126[%127, %128, %129, %130] : tile<4x2x2x2xf32> -> tile<4x2x1x2xf32>
      %132 = cuda_tile.constant <i32: 0> : tile<i32>
      %133 = cuda_tile.constant <i32: 0> : tile<i32>
      %134 = cuda_tile.constant <i32: 1> : tile<i32>
      %135 = cuda_tile.constant <i32: 0> : tile<i32>
      %136 = cuda_tile.extract %126[%132, %133, %134, %135] : tile<4x2x2x2xf32> -> tile<4x2x1x2xf32>
      %137 = cuda_tile.cmpf less_than ordered %136, %131 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %138 = cuda_tile.cmpf not_equal unordered %136, %136 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %139 = cuda_tile.cmpf not_equal unordered %131, %131 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %140 = cuda_tile.constant <i1: false> : tile<4x2x1x2xi1>
      %141 = cuda_tile.cmpi equal %138, %140, unsigned : tile<4x2x1x2xi1> -> tile<4x2x1x2xi1>
      %142 = cuda_tile.andi %139, %141 : tile<4x2x1x2xi1>
      %143 = cuda_tile.ori %137, %142 : tile<4x2x1x2xi1>
      %144 = cuda_tile.select %143, %136, %131 : tile<4x2x1x2xi1>, tile<4x2x1x2xf32>
      %145 = cuda_tile.select %143, %131, %136 : tile<4x2x1x2xi1>, tile<4x2x1x2xf32>
      %146 = cuda_tile.cat %144, %145 dim = 2 : tile<4x2x1x2xf32>, tile<4x2x1x2xf32> -> tile<4x2x2x2xf32>
      %147 = cuda_tile.reshape %146 : tile<4x2x2x2xf32> -> tile<4x8xf32>
      %148 = cuda_tile.reshape %147 : tile<4x8xf32> -> tile<4x4x2x1xf32>
      %149 = cuda_tile.constant <i32: 0> : tile<i32>
      %150 = cuda_tile.constant <i32: 0> : tile<i32>
      %151 = cuda_tile.constant <i32: 0> : tile<i32>
      %152 = cuda_tile.constant <i32: 0> : tile<i32>
      %153 = cuda_tile.extract %148[%149, %150, %151, %152] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %154 = cuda_tile.constant <i32: 0> : tile<i32>
      %155 = cuda_tile.constant <i32: 0> : tile<i32>
      %156 = cuda_tile.constant <i32: 1> : tile<i32>
      %157 = cuda_tile.constant <i32: 0> : tile<i32>
      %158 = cuda_tile.extract %148[%154, %155, %156, %157] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %159 = cuda_tile.cmpf less_than ordered %158, %153 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %160 = cuda_tile.cmpf not_equal unordered %158, %158 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %161 = cuda_tile.cmpf not_equal unordered %153, %153 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %162 = cuda_tile.constant <i1: false> : tile<4x4x1x1xi1>
      %163 = cuda_tile.cmpi equal %160, %162, unsigned : tile<4x4x1x1xi1> -> tile<4x4x1x1xi1>
      %164 = cuda_tile.andi %161, %163 : tile<4x4x1x1xi1>
      %165 = cuda_tile.ori %159, %164 : tile<4x4x1x1xi1>
      %166 = cuda_tile.select %165, %158, %153 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %167 = cuda_tile.select %165, %153, %158 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %168 = cuda_tile.cat %166, %167 dim = 2 : tile<4x4x1x1xf32>, tile<4x4x1x1xf32> -> tile<4x4x2x1xf32>
      %r = cuda_tile.reshape %168 : tile<4x4x2x1xf32> -> tile<4x8xf32>
// r = fh.argsort(t, axis=1)
      %14 = cuda_tile.iota : tile<8xi32>
      %15 = cuda_tile.reshape %14 : tile<8xi32> -> tile<1x8xi32>
      %16 = cuda_tile.broadcast %15 : tile<1x8xi32> -> tile<4x8xi32>
      %17 = cuda_tile.reshape %t : tile<4x8xf32> -> tile<4x4x2x1xf32>
      %18 = cuda_tile.reshape %16 : tile<4x8xi32> -> tile<4x4x2x1xi32>
      %19 = cuda_tile.constant <i32: 0> : tile<i32>
      %20 = cuda_tile.constant <i32: 0> : tile<i32>
      %21 = cuda_tile.constant <i32: 0> : tile<i32>
      %22 = cuda_tile.constant <i32: 0> : tile<i32>
      %23 = cuda_tile.extract %17[%19, %20, %21, %22] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %24 = cuda_tile.constant <i32: 0> : tile<i32>
      %25 = cuda_tile.constant <i32: 0> : tile<i32>
      %26 = cuda_tile.constant <i32: 0> : tile<i32>
      %27 = cuda_tile.constant <i32: 0> : tile<i32>
      %28 = cuda_tile.extract %18[%24, %25, %26, %27] : tile<4x4x2x1xi32> -> tile<4x4x1x1xi32>
      %29 = cuda_tile.constant <i32: 0> : tile<i32>
      %30 = cuda_tile.constant <i32: 0> : tile<i32>
      %31 = cuda_tile.constant <i32: 1> : tile<i32>
      %32 = cuda_tile.constant <i32: 0> : tile<i32>
      %33 = cuda_tile.extract %17[%29, %30, %31, %32] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %34 = cuda_tile.constant <i32: 0> : tile<i32>
      %35 = cuda_tile.constant <i32: 0> : tile<i32>
      %36 = cuda_tile.constant <i32: 1> : tile<i32>
      %37 = cuda_tile.constant <i32: 0> : tile<i32>
      %38 = cuda_tile.extract %18[%34, %35, %36, %37] : tile<4x4x2x1xi32> -> tile<4x4x1x1xi32>
      %39 = cuda_tile.cmpf less_than ordered %33, %23 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %40 = cuda_tile.cmpf not_equal unordered %33, %33 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %41 = cuda_tile.cmpf not_equal unordered %23, %23 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %42 = cuda_tile.constant <i1: false> : tile<4x4x1x1xi1>
      %43 = cuda_tile.cmpi equal %40, %42, unsigned : tile<4x4x1x1xi1> -> tile<4x4x1x1xi1>
      %44 = cuda_tile.andi %41, %43 : tile<4x4x1x1xi1>
      %45 = cuda_tile.ori %39, %44 : tile<4x4x1x1xi1>
      %46 = cuda_tile.cmpf equal ordered %33, %23 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %47 = cuda_tile.andi %40, %41 : tile<4x4x1x1xi1>
      %48 = cuda_tile.ori %46, %47 : tile<4x4x1x1xi1>
      %49 = cuda_tile.cmpi less_than %38, %28, signed : tile<4x4x1x1xi32> -> tile<4x4x1x1xi1>
      %50 = cuda_tile.andi %48, %49 : tile<4x4x1x1xi1>
      %51 = cuda_tile.ori %45, %50 : tile<4x4x1x1xi1>
      %52 = cuda_tile.iota : tile<4xi32>
      %53 = cuda_tile.reshape %52 : tile<4xi32> -> tile<1x4x1x1xi32>
      %54 = cuda_tile.constant <i32: 1> : tile<1x4x1x1xi32>
      %55 = cuda_tile.andi %53, %54 : tile<1x4x1x1xi32>
      %56 = cuda_tile.constant <i32: 0> : tile<1x4x1x1xi32>
      %57 = cuda_tile.cmpi not_equal %55, %56, signed : tile<1x4x1x1xi32> -> tile<1x4x1x1xi1>
      %58 = cuda_tile.broadcast %57 : tile<1x4x1x1xi1> -> tile<4x4x1x1xi1>
      %59 = cuda_tile.xori %51, %58 : tile<4x4x1x1xi1>
      %60 = cuda_tile.select %59, %33, %23 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %61 = cuda_tile.select %59, %23, %33 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %62 = cuda_tile.cat %60, %61 dim = 2 : tile<4x4x1x1xf32>, tile<4x4x1x1xf32> -> tile<4x4x2x1xf32>
      %63 = cuda_tile.reshape %62 : tile<4x4x2x1xf32> -> tile<4x8xf32>
      %64 = cuda_tile.select %59, %38, %28 : tile<4x4x1x1xi1>, tile<4x4x1x1xi32>
      %65 = cuda_tile.select %59, %28, %38 : tile<4x4x1x1xi1>, tile<4x4x1x1xi32>
      %66 = cuda_tile.cat %64, %65 dim = 2 : tile<4x4x1x1xi32>, tile<4x4x1x1xi32> -> tile<4x4x2x1xi32>
      %67 = cuda_tile.reshape %66 : tile<4x4x2x1xi32> -> tile<4x8xi32>
      %68 = cuda_tile.reshape %63 : tile<4x8xf32> -> tile<4x2x2x2xf32>
      %69 = cuda_tile.reshape %67 : tile<4x8xi32> -> tile<4x2x2x2xi32>
      %70 = cuda_tile.constant <i32: 0> : tile<i32>
      %71 = cuda_tile.constant <i32: 0> : tile<i32>
      %72 = cuda_tile.constant <i32: 0> : tile<i32>
      %73 = cuda_tile.constant <i32: 0> : tile<i32>
      %74 = cuda_tile.extract %68[%70, %71, %72, %73] : tile<4x2x2x2xf32> -> tile<4x2x1x2xf32>
      %75 = cuda_tile.constant <i32: 0> : tile<i32>
      %76 = cuda_tile.constant <i32: 0> : tile<i32>
      %77 = cuda_tile.constant <i32: 0> : tile<i32>
      %78 = cuda_tile.constant <i32: 0> : tile<i32>
      %79 = cuda_tile.extract %69[%75, %76, %77, %78] : tile<4x2x2x2xi32> -> tile<4x2x1x2xi32>
      %80 = cuda_tile.constant <i32: 0> : tile<i32>
      %81 = cuda_tile.constant <i32: 0> : tile<i32>
      %82 = cuda_tile.constant <i32: 1> : tile<i32>
      %83 = cuda_tile.constant <i32: 0> : tile<i32>
      %84 = cuda_tile.extract %68[%80, %81, %82, %83] : tile<4x2x2x2xf32> -> tile<4x2x1x2xf32>
      %85 = cuda_tile.constant <i32: 0> : tile<i32>
      %86 = cuda_tile.constant <i32: 0> : tile<i32>
      %87 = cuda_tile.constant <i32: 1> : tile<i32>
      %88 = cuda_tile.constant <i32: 0> : tile<i32>
      %89 = cuda_tile.extract %69[%85, %86, %87, %88] : tile<4x2x2x2xi32> -> tile<4x2x1x2xi32>
      %90 = cuda_tile.cmpf less_than ordered %84, %74 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %91 = cuda_tile.cmpf not_equal unordered %84, %84 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %92 = cuda_tile.cmpf not_equal unordered %74, %74 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %93 = cuda_tile.constant <i1: false> : tile<4x2x1x2xi1>
      %94 = cuda_tile.cmpi equal %91, %93, unsigned : tile<4x2x1x2xi1> -> tile<4x2x1x2xi1>
      %95 = cuda_tile.andi %92, %94 : tile<4x2x1x2xi1>
      %96 = cuda_tile.ori %90, %95 : tile<4x2x1x2xi1>
      %97 = cuda_tile.cmpf equal ordered %84, %74 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %98 = cuda_tile.andi %91, %92 : tile<4x2x1x2xi1>
      %99 = cuda_tile.ori %97, %98 : tile<4x2x1x2xi1>
      %100 = cuda_tile.cmpi less_than %89, %79, signed : tile<4x2x1x2xi32> -> tile<4x2x1x2xi1>
      %101 = cuda_tile.andi %99, %100 : tile<4x2x1x2xi1>
      %102 = cuda_tile.ori %96, %101 : tile<4x2x1x2xi1>
      %103 = cuda_tile.iota : tile<2xi32>
      %104 = cuda_tile.reshape %103 : tile<2xi32> -> tile<1x2x1x1xi32>
      %105 = cuda_tile.constant <i32: 1> : tile<1x2x1x1xi32>
      %106 = cuda_tile.andi %104, %105 : tile<1x2x1x1xi32>
      %107 = cuda_tile.constant <i32: 0> : tile<1x2x1x1xi32>
      %108 = cuda_tile.cmpi not_equal %106, %107, signed : tile<1x2x1x1xi32> -> tile<1x2x1x1xi1>
      %109 = cuda_tile.broadcast %108 : tile<1x2x1x1xi1> -> tile<4x2x1x2xi1>
      %110 = cuda_tile.xori %102, %109 : tile<4x2x1x2xi1>
      %111 = cuda_tile.select %110, %84, %74 : tile<4x2x1x2xi1>, tile<4x2x1x2xf32>
      %112 = cuda_tile.select %110, %74, %84 : tile<4x2x1x2xi1>, tile<4x2x1x2xf32>
      %113 = cuda_tile.cat %111, %112 dim = 2 : tile<4x2x1x2xf32>, tile<4x2x1x2xf32> -> tile<4x2x2x2xf32>
      %114 = cuda_tile.reshape %113 : tile<4x2x2x2xf32> -> tile<4x8xf32>
      %115 = cuda_tile.select %110, %89, %79 : tile<4x2x1x2xi1>, tile<4x2x1x2xi32>
      %116 = cuda_tile.select %110, %79, %89 : tile<4x2x1x2xi1>, tile<4x2x1x2xi32>
      %117 = cuda_tile.cat %115, %116 dim = 2 : tile<4x2x1x2xi32>, tile<4x2x1x2xi32> -> tile<4x2x2x2xi32>
      %118 = cuda_tile.reshape %117 : tile<4x2x2x2xi32> -> tile<4x8xi32>
      %119 = cuda_tile.reshape %114 : tile<4x8xf32> -> tile<4x4x2x1xf32>
      %120 = cuda_tile.reshape %118 : tile<4x8xi32> -> tile<4x4x2x1xi32>
      %121 = cuda_tile.constant <i32: 0> : tile<i32>
      %122 = cuda_tile.constant <i32: 0> : tile<i32>
      %123 = cuda_tile.constant <i32: 0> : tile<i32>
      %124 = cuda_tile.constant <i32: 0> : tile<i32>
      %125 = cuda_tile.extract %119[%121, %122, %123, %124] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %126 = cuda_tile.constant <i32: 0> : tile<i32>
      %127 = cuda_tile.constant <i32: 0> : tile<i32>
      %128 = cuda_tile.constant <i32: 0> : tile<i32>
      %129 = cuda_tile.constant <i32: 0> : tile<i32>
      %130 = cuda_tile.extract %120[%126, %127, %128, %129] : tile<4x4x2x1xi32> -> tile<4x4x1x1xi32>
      %131 = cuda_tile.constant <i32: 0> : tile<i32>
      %132 = cuda_tile.constant <i32: 0> : tile<i32>
      %133 = cuda_tile.constant <i32: 1> : tile<i32>
      %134 = cuda_tile.constant <i32: 0> : tile<i32>
      %135 = cuda_tile.extract %119[%131, %132, %133, %134] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %136 = cuda_tile.constant <i32: 0> : tile<i32>
      %137 = cuda_tile.constant <i32: 0> : tile<i32>
      %138 = cuda_tile.constant <i32: 1> : tile<i32>
      %139 = cuda_tile.constant <i32: 0> : tile<i32>
      %140 = cuda_tile.extract %120[%136, %137, %138, %139] : tile<4x4x2x1xi32> -> tile<4x4x1x1xi32>
      %141 = cuda_tile.cmpf less_than ordered %135, %125 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %142 = cuda_tile.cmpf not_equal unordered %135, %135 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %143 = cuda_tile.cmpf not_equal unordered %125, %125 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %144 = cuda_tile.constant <i1: false> : tile<4x4x1x1xi1>
      %145 = cuda_tile.cmpi equal %142, %144, unsigned : tile<4x4x1x1xi1> -> tile<4x4x1x1xi1>
      %146 = cuda_tile.andi %143, %145 : tile<4x4x1x1xi1>
      %147 = cuda_tile.ori %141, %146 : tile<4x4x1x1xi1>
      %148 = cuda_tile.cmpf equal ordered %135, %125 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %149 = cuda_tile.andi %142, %143 : tile<4x4x1x1xi1>
      %150 = cuda_tile.ori %148, %149 : tile<4x4x1x1xi1>
      %151 = cuda_tile.cmpi less_than %140, %130, signed : tile<4x4x1x1xi32> -> tile<4x4x1x1xi1>
      %152 = cuda_tile.andi %150, %151 : tile<4x4x1x1xi1>
      %153 = cuda_tile.ori %147, %152 : tile<4x4x1x1xi1>
      %154 = cuda_tile.iota : tile<4xi32>
      %155 = cuda_tile.reshape %154 : tile<4xi32> -> tile<1x4x1x1xi32>
      %156 = cuda_tile.constant <i32: 2> : tile<1x4x1x1xi32>
      %157 = cuda_tile.andi %155, %156 : tile<1x4x1x1xi32>
      %158 = cuda_tile.constant <i32: 0> : tile<1x4x1x1xi32>
      %159 = cuda_tile.cmpi not_equal %157, %158, signed : tile<1x4x1x1xi32> -> tile<1x4x1x1xi1>
      %160 = cuda_tile.broadcast %159 : tile<1x4x1x1xi1> -> tile<4x4x1x1xi1>
      %161 = cuda_tile.xori %153, %160 : tile<4x4x1x1xi1>
      %162 = cuda_tile.select %161, %135, %125 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %163 = cuda_tile.select %161, %125, %135 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %164 = cuda_tile.cat %162, %163 dim = 2 : tile<4x4x1x1xf32>, tile<4x4x1x1xf32> -> tile<4x4x2x1xf32>
      %165 = cuda_tile.reshape %164 : tile<4x4x2x1xf32> -> tile<4x8xf32>
      %166 = cuda_tile.select %161, %140, %130 : tile<4x4x1x1xi1>, tile<4x4x1x1xi32>
      %167 = cuda_tile.select %161, %130, %140 : tile<4x4x1x1xi1>, tile<4x4x1x1xi32>
      %168 = cuda_tile.cat %166, %167 dim = 2 : tile<4x4x1x1xi32>, tile<4x4x1x1xi32> -> tile<4x4x2x1xi32>
      %169 = cuda_tile.reshape %168 : tile<4x4x2x1xi32> -> tile<4x8xi32>
      %170 = cuda_tile.reshape %165 : tile<4x8xf32> -> tile<4x1x2x4xf32>
      %171 = cuda_tile.reshape %169 : tile<4x8xi32> -> tile<4x1x2x4xi32>
      %172 = cuda_tile.constant <i32: 0> : tile<i32>
      %173 = cuda_tile.constant <i32: 0> : tile<i32>
      %174 = cuda_tile.constant <i32: 0> : tile<i32>
      %175 = cuda_tile.constant <i32: 0> : tile<i32>
      %176 = cuda_tile.extract %170[%172, %173, %174, %175] : tile<4x1x2x4xf32> -> tile<4x1x1x4xf32>
      %177 = cuda_tile.constant <i32: 0> : tile<i32>
      %178 = cuda_tile.constant <i32: 0> : tile<i32>
      %179 = cuda_tile.constant <i32: 0> : tile<i32>
      %180 = cuda_tile.constant <i32: 0> : tile<i32>
      %181 = cuda_tile.extract %171[%177, %178, %179, %180] : tile<4x1x2x4xi32> -> tile<4x1x1x4xi32>
      %182 = cuda_tile.constant <i32: 0> : tile<i32>
      %183 = cuda_tile.constant <i32: 0> : tile<i32>
      %184 = cuda_tile.constant <i32: 1> : tile<i32>
      %185 = cuda_tile.constant <i32: 0> : tile<i32>
      %186 = cuda_tile.extract %170[%182, %183, %184, %185] : tile<4x1x2x4xf32> -> tile<4x1x1x4xf32>
      %187 = cuda_tile.constant <i32: 0> : tile<i32>
      %188 = cuda_tile.constant <i32: 0> : tile<i32>
      %189 = cuda_tile.constant <i32: 1> : tile<i32>
      %190 = cuda_tile.constant <i32: 0> : tile<i32>
      %191 = cuda_tile.extract %171[%187, %188, %189, %190] : tile<4x1x2x4xi32> -> tile<4x1x1x4xi32>
      %192 = cuda_tile.cmpf less_than ordered %186, %176 : tile<4x1x1x4xf32> -> tile<4x1x1x4xi1>
      %193 = cuda_tile.cmpf not_equal unordered %186, %186 : tile<4x1x1x4xf32> -> tile<4x1x1x4xi1>
      %194 = cuda_tile.cmpf not_equal unordered %176, %176 : tile<4x1x1x4xf32> -> tile<4x1x1x4xi1>
      %195 = cuda_tile.constant <i1: false> : tile<4x1x1x4xi1>
      %196 = cuda_tile.cmpi equal %193, %195, unsigned : tile<4x1x1x4xi1> -> tile<4x1x1x4xi1>
      %197 = cuda_tile.andi %194, %196 : tile<4x1x1x4xi1>
      %198 = cuda_tile.ori %192, %197 : tile<4x1x1x4xi1>
      %199 = cuda_tile.cmpf equal ordered %186, %176 : tile<4x1x1x4xf32> -> tile<4x1x1x4xi1>
      %200 = cuda_tile.andi %193, %194 : tile<4x1x1x4xi1>
      %201 = cuda_tile.ori %199, %200 : tile<4x1x1x4xi1>
      %202 = cuda_tile.cmpi less_than %191, %181, signed : tile<4x1x1x4xi32> -> tile<4x1x1x4xi1>
      %203 = cuda_tile.andi %201, %202 : tile<4x1x1x4xi1>
      %204 = cuda_tile.ori %198, %203 : tile<4x1x1x4xi1>
      %205 = cuda_tile.select %204, %186, %176 : tile<4x1x1x4xi1>, tile<4x1x1x4xf32>
      %206 = cuda_tile.select %204, %176, %186 : tile<4x1x1x4xi1>, tile<4x1x1x4xf32>
      %207 = cuda_tile.cat %205, %206 dim = 2 : tile<4x1x1x4xf32>, tile<4x1x1x4xf32> -> tile<4x1x2x4xf32>
      %208 = cuda_tile.reshape %207 : tile<4x1x2x4xf32> -> tile<4x8xf32>
      %209 = cuda_tile.select %204, %191, %181 : tile<4x1x1x4xi1>, tile<4x1x1x4xi32>
      %210 = cuda_tile.select %204, %181, %191 : tile<4x1x1x4xi1>, tile<4x1x1x4xi32>
      %211 = cuda_tile.cat %209, %210 dim = 2 : tile<4x1x1x4xi32>, tile<4x1x1x4xi32> -> tile<4x1x2x4xi32>
      %212 = cuda_tile.reshape %211 : tile<4x1x2x4xi32> -> tile<4x8xi32>
      %213 = cuda_tile.reshape %208 : tile<4x8xf32> -> tile<4x2x2x2xf32>
      %214 = cuda_tile.reshape %212 : tile<4x8xi32> -> tile<4x2x2x2xi32>
      %215 = cuda_tile.constant <i32: 0> : tile<i32>
      %216 = cuda_tile.constant <i32: 0> : tile<i32>
      %217 = cuda_tile.constant <i32: 0> : tile<i32>
      %218 = cuda_tile.constant <i32: 0> : tile<i32>
      %219 = cuda_tile.extract %213[%215, %216, %217, %218] : tile<4x2x2x2xf32> -> tile<4x2x1x2xf32>
      %220 = cuda_tile.constant <i32: 0> : tile<i32>
      %221 = cuda_tile.constant <i32: 0> : tile<i32>
      %222 = cuda_tile.constant <i32: 0> : tile<i32>
      %223 = cuda_tile.constant <i32: 0> : tile<i32>
      %224 = cuda_tile.extract %214[%220, %221, %222, %223] : tile<4x2x2x2xi32> -> tile<4x2x1x2xi32>
      %225 = cuda_tile.constant <i32: 0> : tile<i32>
      %226 = cuda_tile.constant <i32: 0> : tile<i32>
      %227 = cuda_tile.constant <i32: 1> : tile<i32>
      %228 = cuda_tile.constant <i32: 0> : tile<i32>
      %229 = cuda_tile.extract %213[%225, %226, %227, %228] : tile<4x2x2x2xf32> -> tile<4x2x1x2xf32>
      %230 = cuda_tile.constant <i32: 0> : tile<i32>
      %231 = cuda_tile.constant <i32: 0> : tile<i32>
      %232 = cuda_tile.constant <i32: 1> : tile<i32>
      %233 = cuda_tile.constant <i32: 0> : tile<i32>
      %234 = cuda_tile.extract %214[%230, %231, %232, %233] : tile<4x2x2x2xi32> -> tile<4x2x1x2xi32>
      %235 = cuda_tile.cmpf less_than ordered %229, %219 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %236 = cuda_tile.cmpf not_equal unordered %229, %229 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %237 = cuda_tile.cmpf not_equal unordered %219, %219 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %238 = cuda_tile.constant <i1: false> : tile<4x2x1x2xi1>
      %239 = cuda_tile.cmpi equal %236, %238, unsigned : tile<4x2x1x2xi1> -> tile<4x2x1x2xi1>
      %240 = cuda_tile.andi %237, %239 : tile<4x2x1x2xi1>
      %241 = cuda_tile.ori %235, %240 : tile<4x2x1x2xi1>
      %242 = cuda_tile.cmpf equal ordered %229, %219 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %243 = cuda_tile.andi %236, %237 : tile<4x2x1x2xi1>
      %244 = cuda_tile.ori %242, %243 : tile<4x2x1x2xi1>
      %245 = cuda_tile.cmpi less_than %234, %224, signed : tile<4x2x1x2xi32> -> tile<4x2x1x2xi1>
      %246 = cuda_tile.andi %244, %245 : tile<4x2x1x2xi1>
      %247 = cuda_tile.ori %241, %246 : tile<4x2x1x2xi1>
      %248 = cuda_tile.select %247, %229, %219 : tile<4x2x1x2xi1>, tile<4x2x1x2xf32>
      %249 = cuda_tile.select %247, %219, %229 : tile<4x2x1x2xi1>, tile<4x2x1x2xf32>
      %250 = cuda_tile.cat %248, %249 dim = 2 : tile<4x2x1x2xf32>, tile<4x2x1x2xf32> -> tile<4x2x2x2xf32>
      %251 = cuda_tile.reshape %250 : tile<4x2x2x2xf32> -> tile<4x8xf32>
      %252 = cuda_tile.select %247, %234, %224 : tile<4x2x1x2xi1>, tile<4x2x1x2xi32>
      %253 = cuda_tile.select %247, %224, %234 : tile<4x2x1x2xi1>, tile<4x2x1x2xi32>
      %254 = cuda_tile.cat %252, %253 dim = 2 : tile<4x2x1x2xi32>, tile<4x2x1x2xi32> -> tile<4x2x2x2xi32>
      %255 = cuda_tile.reshape %254 : tile<4x2x2x2xi32> -> tile<4x8xi32>
      %256 = cuda_tile.reshape %251 : tile<4x8xf32> -> tile<4x4x2x1xf32>
      %257 = cuda_tile.reshape %255 : tile<4x8xi32> -> tile<4x4x2x1xi32>
      %258 = cuda_tile.constant <i32: 0> : tile<i32>
      %259 = cuda_tile.constant <i32: 0> : tile<i32>
      %260 = cuda_tile.constant <i32: 0> : tile<i32>
      %261 = cuda_tile.constant <i32: 0> : tile<i32>
      %262 = cuda_tile.extract %256[%258, %259, %260, %261] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %263 = cuda_tile.constant <i32: 0> : tile<i32>
      %264 = cuda_tile.constant <i32: 0> : tile<i32>
      %265 = cuda_tile.constant <i32: 0> : tile<i32>
      %266 = cuda_tile.constant <i32: 0> : tile<i32>
      %267 = cuda_tile.extract %257[%263, %264, %265, %266] : tile<4x4x2x1xi32> -> tile<4x4x1x1xi32>
      %268 = cuda_tile.constant <i32: 0> : tile<i32>
      %269 = cuda_tile.constant <i32: 0> : tile<i32>
      %270 = cuda_tile.constant <i32: 1> : tile<i32>
      %271 = cuda_tile.constant <i32: 0> : tile<i32>
      %272 = cuda_tile.extract %256[%268, %269, %270, %271] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %273 = cuda_tile.constant <i32: 0> : tile<i32>
      %274 = cuda_tile.constant <i32: 0> : tile<i32>
      %275 = cuda_tile.constant <i32: 1> : tile<i32>
      %276 = cuda_tile.constant <i32: 0> : tile<i32>
      %277 = cuda_tile.extract %257[%273, %274, %275, %276] : tile<4x4x2x1xi32> -> tile<4x4x1x1xi32>
      %278 = cuda_tile.cmpf less_than ordered %272, %262 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %279 = cuda_tile.cmpf not_equal unordered %272, %272 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %280 = cuda_tile.cmpf not_equal unordered %262, %262 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %281 = cuda_tile.constant <i1: false> : tile<4x4x1x1xi1>
      %282 = cuda_tile.cmpi equal %279, %281, unsigned : tile<4x4x1x1xi1> -> tile<4x4x1x1xi1>
      %283 = cuda_tile.andi %280, %282 : tile<4x4x1x1xi1>
      %284 = cuda_tile.ori %278, %283 : tile<4x4x1x1xi1>
      %285 = cuda_tile.cmpf equal ordered %272, %262 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %286 = cuda_tile.andi %279, %280 : tile<4x4x1x1xi1>
      %287 = cuda_tile.ori %285, %286 : tile<4x4x1x1xi1>
      %288 = cuda_tile.cmpi less_than %277, %267, signed : tile<4x4x1x1xi32> -> tile<4x4x1x1xi1>
      %289 = cuda_tile.andi %287, %288 : tile<4x4x1x1xi1>
      %290 = cuda_tile.ori %284, %289 : tile<4x4x1x1xi1>
      %291 = cuda_tile.select %290, %272, %262 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %292 = cuda_tile.select %290, %262, %272 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %293 = cuda_tile.cat %291, %292 dim = 2 : tile<4x4x1x1xf32>, tile<4x4x1x1xf32> -> tile<4x4x2x1xf32>
      %294 = cuda_tile.reshape %293 : tile<4x4x2x1xf32> -> tile<4x8xf32>
      %295 = cuda_tile.select %290, %277, %267 : tile<4x4x1x1xi1>, tile<4x4x1x1xi32>
      %296 = cuda_tile.select %290, %267, %277 : tile<4x4x1x1xi1>, tile<4x4x1x1xi32>
      %297 = cuda_tile.cat %295, %296 dim = 2 : tile<4x4x1x1xi32>, tile<4x4x1x1xi32> -> tile<4x4x2x1xi32>
      %r = cuda_tile.reshape %297 : tile<4x4x2x1xi32> -> tile<4x8xi32>
// r = fh.exp2(t, flush_to_zero=True)
      %r = cuda_tile.exp2 %t flush_to_zero : tile<4x8xf32>
// r = fh.maximum(t, 0.0, propagate_nan=True)
      %14 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %r = cuda_tile.maxf %t, %14 propagate_nan : tile<4x8xf32>
// r = fh.where(p, t, 0.0)
      %14 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %r = cuda_tile.select %p, %t, %14 : tile<4x8xi1>, tile<4x8xf32>
// r = fh.fma(t, t, 1.0)
      %14 = cuda_tile.constant <f32: 1.000000e+00> : tile<f32>
      %15 = cuda_tile.reshape %14 : tile<f32> -> tile<1x1xf32>
      %16 = cuda_tile.broadcast %15 : tile<1x1xf32> -> tile<4x8xf32>
      %r = cuda_tile.fma %t, %t, %16 : tile<4x8xf32>
// r = fh.clip(t, 0.0, n)
      %14 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %15 = cuda_tile.maxf %t, %14 propagate_nan : tile<4x8xf32>
      %16 = cuda_tile.itof %n signed : tile<i32> -> tile<f32>
      %17 = cuda_tile.reshape %16 : tile<f32> -> tile<1x1xf32>
      %18 = cuda_tile.broadcast %17 : tile<1x1xf32> -> tile<4x8xf32>
      %r = cuda_tile.minf %15, %18 propagate_nan : tile<4x8xf32>
// r = t.clip(0.0, 1.0)
      %14 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %15 = cuda_tile.maxf %t, %14 propagate_nan : tile<4x8xf32>
      %16 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %r = cuda_tile.minf %15, %16 propagate_nan : tile<4x8xf32>
// r = t.round()
      %14 = cuda_tile.floor %t : tile<4x8xf32>
      %15 = cuda_tile.subf %t, %14 : tile<4x8xf32>
      %16 = cuda_tile.constant <f32: 5.000000e-01> : tile<4x8xf32>
      %17 = cuda_tile.mulf %14, %16 : tile<4x8xf32>
      %18 = cuda_tile.floor %17 : tile<4x8xf32>
      %19 = cuda_tile.cmpf not_equal unordered %17, %18 : tile<4x8xf32> -> tile<4x8xi1>
      %20 = cuda_tile.constant <f32: 5.000000e-01> : tile<4x8xf32>
      %21 = cuda_tile.cmpf equal ordered %15, %20 : tile<4x8xf32> -> tile<4x8xi1>
      %22 = cuda_tile.andi %21, %19 : tile<4x8xi1>
      %23 = cuda_tile.constant <f32: 5.000000e-01> : tile<4x8xf32>
      %24 = cuda_tile.cmpf greater_than ordered %15, %23 : tile<4x8xf32> -> tile<4x8xi1>
      %25 = cuda_tile.ori %24, %22 : tile<4x8xi1>
      %26 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %27 = cuda_tile.addf %14, %26 : tile<4x8xf32>
      %r = cuda_tile.select %25, %27, %14 : tile<4x8xi1>, tile<4x8xf32>
// r = fh.mulhi(i, 3)
      %14 = cuda_tile.constant <i32: 3> : tile<8xi32>
      %15 = cuda_tile.mulhii %i, %14 : tile<8xi32>
      %16 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %17 = cuda_tile.cmpi less_than %i, %16, signed : tile<8xi32> -> tile<8xi1>
      %18 = cuda_tile.select %17, %14, %16 : tile<8xi1>, tile<8xi32>
      %19 = cuda_tile.subi %15, %18 : tile<8xi32>
      %20 = cuda_tile.cmpi less_than %14, %16, signed : tile<8xi32> -> tile<8xi1>
      %21 = cuda_tile.select %20, %i, %16 : tile<8xi1>, tile<8xi32>
      %r = cuda_tile.subi %19, %21 : tile<8xi32>
// r = fh.powi(t, n)
      %14 = cuda_tile.reshape %n : tile<i32> -> tile<1x1xi32>
      %15 = cuda_tile.broadcast %14 : tile<1x1xi32> -> tile<4x8xi32>
      %r = cuda_tile.fpowi %t, %15 : tile<4x8xf32>, tile<4x8xi32>
// r = fh.cdiv(n, 2)
      %14 = cuda_tile.constant <i32: 2> : tile<i32>
      %r = cuda_tile.divi %n, %14 signed rounding<positive_inf> : tile<i32>
// r = fh.cdiv(i, 2)
      %14 = cuda_tile.constant <i32: 2> : tile<8xi32>
      %r = cuda_tile.divi %i, %14 signed rounding<positive_inf> : tile<8xi32>
// r = fh.reduce(t, lambda a, b: a + b, 0.0, 1)
      %r = cuda_tile.reduce %t dim=1 identities=[0.000000e+00 : f32] : tile<4x8xf32> -> tile<4xf32>
      (%14: tile<f32>, %15: tile<f32>) {
        %16 = cuda_tile.addf %14, %15 : tile<f32>
        cuda_tile.yield %16 : tile<f32>
      }
// r = fh.scan(i, lambda a, b: a + b, 0)
      %r = cuda_tile.scan %i dim=0 reverse=false identities=[0 : i32] : tile<8xi32> -> tile<8xi32>
      (%14: tile<i32>, %15: tile<i32>) {
        %16 = cuda_tile.addi %14, %15 : tile<i32>
        cuda_tile.yield %16 : tile<i32>
      }
// r = fh.top_k(t, 2, axis=1)
      %14 = cuda_tile.iota : tile<8xi32>
      %15 = cuda_tile.reshape %14 : tile<8xi32> -> tile<1x8xi32>
      %16 = cuda_tile.broadcast %15 : tile<1x8xi32> -> tile<4x8xi32>
      %17 = cuda_tile.reshape %t : tile<4x8xf32> -> tile<4x4x2x1xf32>
      %18 = cuda_tile.reshape %16 : tile<4x8xi32> -> tile<4x4x2x1xi32>
      %19 = cuda_tile.constant <i32: 0> : tile<i32>
      %20 = cuda_tile.constant <i32: 0> : tile<i32>
      %21 = cuda_tile.constant <i32: 0> : tile<i32>
      %22 = cuda_tile.constant <i32: 0> : tile<i32>
      %23 = cuda_tile.extract %17[%19, %20, %21, %22] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %24 = cuda_tile.constant <i32: 0> : tile<i32>
      %25 = cuda_tile.constant <i32: 0> : tile<i32>
      %26 = cuda_tile.constant <i32: 0> : tile<i32>
      %27 = cuda_tile.constant <i32: 0> : tile<i32>
      %28 = cuda_tile.extract %18[%24, %25, %26, %27] : tile<4x4x2x1xi32> -> tile<4x4x1x1xi32>
      %29 = cuda_tile.constant <i32: 0> : tile<i32>
      %30 = cuda_tile.constant <i32: 0> : tile<i32>
      %31 = cuda_tile.constant <i32: 1> : tile<i32>
      %32 = cuda_tile.constant <i32: 0> : tile<i32>
      %33 = cuda_tile.extract %17[%29, %30, %31, %32] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %34 = cuda_tile.constant <i32: 0> : tile<i32>
      %35 = cuda_tile.constant <i32: 0> : tile<i32>
      %36 = cuda_tile.constant <i32: 1> : tile<i32>
      %37 = cuda_tile.constant <i32: 0> : tile<i32>
      %38 = cuda_tile.extract %18[%34, %35, %36, %37] : tile<4x4x2x1xi32> -> tile<4x4x1x1xi32>
      %39 = cuda_tile.cmpf greater_than ordered %33, %23 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %40 = cuda_tile.cmpf not_equal unordered %33, %33 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %41 = cuda_tile.cmpf not_equal unordered %23, %23 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %42 = cuda_tile.constant <i1: false> : tile<4x4x1x1xi1>
      %43 = cuda_tile.cmpi equal %41, %42, unsigned : tile<4x4x1x1xi1> -> tile<4x4x1x1xi1>
      %44 = cuda_tile.andi %40, %43 : tile<4x4x1x1xi1>
      %45 = cuda_tile.ori %39, %44 : tile<4x4x1x1xi1>
      %46 = cuda_tile.cmpf equal ordered %33, %23 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %47 = cuda_tile.andi %40, %41 : tile<4x4x1x1xi1>
      %48 = cuda_tile.ori %46, %47 : tile<4x4x1x1xi1>
      %49 = cuda_tile.cmpi less_than %38, %28, signed : tile<4x4x1x1xi32> -> tile<4x4x1x1xi1>
      %50 = cuda_tile.andi %48, %49 : tile<4x4x1x1xi1>
      %51 = cuda_tile.ori %45, %50 : tile<4x4x1x1xi1>
      %52 = cuda_tile.iota : tile<4xi32>
      %53 = cuda_tile.reshape %52 : tile<4xi32> -> tile<1x4x1x1xi32>
      %54 = cuda_tile.constant <i32: 1> : tile<1x4x1x1xi32>
      %55 = cuda_tile.andi %53, %54 : tile<1x4x1x1xi32>
      %56 = cuda_tile.constant <i32: 0> : tile<1x4x1x1xi32>
      %57 = cuda_tile.cmpi not_equal %55, %56, signed : tile<1x4x1x1xi32> -> tile<1x4x1x1xi1>
      %58 = cuda_tile.broadcast %57 : tile<1x4x1x1xi1> -> tile<4x4x1x1xi1>
      %59 = cuda_tile.xori %51, %58 : tile<4x4x1x1xi1>
      %60 = cuda_tile.select %59, %33, %23 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %61 = cuda_tile.select %59, %23, %33 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %62 = cuda_tile.cat %60, %61 dim = 2 : tile<4x4x1x1xf32>, tile<4x4x1x1xf32> -> tile<4x4x2x1xf32>
      %63 = cuda_tile.reshape %62 : tile<4x4x2x1xf32> -> tile<4x8xf32>
      %64 = cuda_tile.select %59, %38, %28 : tile<4x4x1x1xi1>, tile<4x4x1x1xi32>
      %65 = cuda_tile.select %59, %28, %38 : tile<4x4x1x1xi1>, tile<4x4x1x1xi32>
      %66 = cuda_tile.cat %64, %65 dim = 2 : tile<4x4x1x1xi32>, tile<4x4x1x1xi32> -> tile<4x4x2x1xi32>
      %67 = cuda_tile.reshape %66 : tile<4x4x2x1xi32> -> tile<4x8xi32>
      %68 = cuda_tile.reshape %63 : tile<4x8xf32> -> tile<4x2x2x2xf32>
      %69 = cuda_tile.reshape %67 : tile<4x8xi32> -> tile<4x2x2x2xi32>
      %70 = cuda_tile.constant <i32: 0> : tile<i32>
      %71 = cuda_tile.constant <i32: 0> : tile<i32>
      %72 = cuda_tile.constant <i32: 0> : tile<i32>
      %73 = cuda_tile.constant <i32: 0> : tile<i32>
      %74 = cuda_tile.extract %68[%70, %71, %72, %73] : tile<4x2x2x2xf32> -> tile<4x2x1x2xf32>
      %75 = cuda_tile.constant <i32: 0> : tile<i32>
      %76 = cuda_tile.constant <i32: 0> : tile<i32>
      %77 = cuda_tile.constant <i32: 0> : tile<i32>
      %78 = cuda_tile.constant <i32: 0> : tile<i32>
      %79 = cuda_tile.extract %69[%75, %76, %77, %78] : tile<4x2x2x2xi32> -> tile<4x2x1x2xi32>
      %80 = cuda_tile.constant <i32: 0> : tile<i32>
      %81 = cuda_tile.constant <i32: 0> : tile<i32>
      %82 = cuda_tile.constant <i32: 1> : tile<i32>
      %83 = cuda_tile.constant <i32: 0> : tile<i32>
      %84 = cuda_tile.extract %68[%80, %81, %82, %83] : tile<4x2x2x2xf32> -> tile<4x2x1x2xf32>
      %85 = cuda_tile.constant <i32: 0> : tile<i32>
      %86 = cuda_tile.constant <i32: 0> : tile<i32>
      %87 = cuda_tile.constant <i32: 1> : tile<i32>
      %88 = cuda_tile.constant <i32: 0> : tile<i32>
      %89 = cuda_tile.extract %69[%85, %86, %87, %88] : tile<4x2x2x2xi32> -> tile<4x2x1x2xi32>
      %90 = cuda_tile.cmpf greater_than ordered %84, %74 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %91 = cuda_tile.cmpf not_equal unordered %84, %84 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %92 = cuda_tile.cmpf not_equal unordered %74, %74 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %93 = cuda_tile.constant <i1: false> : tile<4x2x1x2xi1>
      %94 = cuda_tile.cmpi equal %92, %93, unsigned : tile<4x2x1x2xi1> -> tile<4x2x1x2xi1>
      %95 = cuda_tile.andi %91, %94 : tile<4x2x1x2xi1>
      %96 = cuda_tile.ori %90, %95 : tile<4x2x1x2xi1>
      %97 = cuda_tile.cmpf equal ordered %84, %74 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %98 = cuda_tile.andi %91, %92 : tile<4x2x1x2xi1>
      %99 = cuda_tile.ori %97, %98 : tile<4x2x1x2xi1>
      %100 = cuda_tile.cmpi less_than %89, %79, signed : tile<4x2x1x2xi32> -> tile<4x2x1x2xi1>
      %101 = cuda_tile.andi %99, %100 : tile<4x2x1x2xi1>
      %102 = cuda_tile.ori %96, %101 : tile<4x2x1x2xi1>
      %103 = cuda_tile.iota : tile<2xi32>
      %104 = cuda_tile.reshape %103 : tile<2xi32> -> tile<1x2x1x1xi32>
      %105 = cuda_tile.constant <i32: 1> : tile<1x2x1x1xi32>
      %106 = cuda_tile.andi %104, %105 : tile<1x2x1x1xi32>
      %107 = cuda_tile.constant <i32: 0> : tile<1x2x1x1xi32>
      %108 = cuda_tile.cmpi not_equal %106, %107, signed : tile<1x2x1x1xi32> -> tile<1x2x1x1xi1>
      %109 = cuda_tile.broadcast %108 : tile<1x2x1x1xi1> -> tile<4x2x1x2xi1>
      %110 = cuda_tile.xori %102, %109 : tile<4x2x1x2xi1>
      %111 = cuda_tile.select %110, %84, %74 : tile<4x2x1x2xi1>, tile<4x2x1x2xf32>
      %112 = cuda_tile.select %110, %74, %84 : tile<4x2x1x2xi1>, tile<4x2x1x2xf32>
      %113 = cuda_tile.cat %111, %112 dim = 2 : tile<4x2x1x2xf32>, tile<4x2x1x2xf32> -> tile<4x2x2x2xf32>
      %114 = cuda_tile.reshape %113 : tile<4x2x2x2xf32> -> tile<4x8xf32>
      %115 = cuda_tile.select %110, %89, %79 : tile<4x2x1x2xi1>, tile<4x2x1x2xi32>
      %116 = cuda_tile.select %110, %79, %89 : tile<4x2x1x2xi1>, tile<4x2x1x2xi32>
      %117 = cuda_tile.cat %115, %116 dim = 2 : tile<4x2x1x2xi32>, tile<4x2x1x2xi32> -> tile<4x2x2x2xi32>
      %118 = cuda_tile.reshape %117 : tile<4x2x2x2xi32> -> tile<4x8xi32>
      %119 = cuda_tile.reshape %114 : tile<4x8xf32> -> tile<4x4x2x1xf32>
      %120 = cuda_tile.reshape %118 : tile<4x8xi32> -> tile<4x4x2x1xi32>
      %121 = cuda_tile.constant <i32: 0> : tile<i32>
      %122 = cuda_tile.constant <i32: 0> : tile<i32>
      %123 = cuda_tile.constant <i32: 0> : tile<i32>
      %124 = cuda_tile.constant <i32: 0> : tile<i32>
      %125 = cuda_tile.extract %119[%121, %122, %123, %124] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %126 = cuda_tile.constant <i32: 0> : tile<i32>
      %127 = cuda_tile.constant <i32: 0> : tile<i32>
      %128 = cuda_tile.constant <i32: 0> : tile<i32>
      %129 = cuda_tile.constant <i32: 0> : tile<i32>
      %130 = cuda_tile.extract %120[%126, %127, %128, %129] : tile<4x4x2x1xi32> -> tile<4x4x1x1xi32>
      %131 = cuda_tile.constant <i32: 0> : tile<i32>
      %132 = cuda_tile.constant <i32: 0> : tile<i32>
      %133 = cuda_tile.constant <i32: 1> : tile<i32>
      %134 = cuda_tile.constant <i32: 0> : tile<i32>
      %135 = cuda_tile.extract %119[%131, %132, %133, %134] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %136 = cuda_tile.constant <i32: 0> : tile<i32>
      %137 = cuda_tile.constant <i32: 0> : tile<i32>
      %138 = cuda_tile.constant <i32: 1> : tile<i32>
      %139 = cuda_tile.constant <i32: 0> : tile<i32>
      %140 = cuda_tile.extract %120[%136, %137, %138, %139] : tile<4x4x2x1xi32> -> tile<4x4x1x1xi32>
      %141 = cuda_tile.cmpf greater_than ordered %135, %125 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %142 = cuda_tile.cmpf not_equal unordered %135, %135 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %143 = cuda_tile.cmpf not_equal unordered %125, %125 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %144 = cuda_tile.constant <i1: false> : tile<4x4x1x1xi1>
      %145 = cuda_tile.cmpi equal %143, %144, unsigned : tile<4x4x1x1xi1> -> tile<4x4x1x1xi1>
      %146 = cuda_tile.andi %142, %145 : tile<4x4x1x1xi1>
      %147 = cuda_tile.ori %141, %146 : tile<4x4x1x1xi1>
      %148 = cuda_tile.cmpf equal ordered %135, %125 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %149 = cuda_tile.andi %142, %143 : tile<4x4x1x1xi1>
      %150 = cuda_tile.ori %148, %149 : tile<4x4x1x1xi1>
      %151 = cuda_tile.cmpi less_than %140, %130, signed : tile<4x4x1x1xi32> -> tile<4x4x1x1xi1>
      %152 = cuda_tile.andi %150, %151 : tile<4x4x1x1xi1>
      %153 = cuda_tile.ori %147, %152 : tile<4x4x1x1xi1>
      %154 = cuda_tile.iota : tile<4xi32>
      %155 = cuda_tile.reshape %154 : tile<4xi32> -> tile<1x4x1x1xi32>
      %156 = cuda_tile.constant <i32: 2> : tile<1x4x1x1xi32>
      %157 = cuda_tile.andi %155, %156 : tile<1x4x1x1xi32>
      %158 = cuda_tile.constant <i32: 0> : tile<1x4x1x1xi32>
      %159 = cuda_tile.cmpi not_equal %157, %158, signed : tile<1x4x1x1xi32> -> tile<1x4x1x1xi1>
      %160 = cuda_tile.broadcast %159 : tile<1x4x1x1xi1> -> tile<4x4x1x1xi1>
      %161 = cuda_tile.xori %153, %160 : tile<4x4x1x1xi1>
      %162 = cuda_tile.select %161, %135, %125 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %163 = cuda_tile.select %161, %125, %135 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %164 = cuda_tile.cat %162, %163 dim = 2 : tile<4x4x1x1xf32>, tile<4x4x1x1xf32> -> tile<4x4x2x1xf32>
      %165 = cuda_tile.reshape %164 : tile<4x4x2x1xf32> -> tile<4x8xf32>
      %166 = cuda_tile.select %161, %140, %130 : tile<4x4x1x1xi1>, tile<4x4x1x1xi32>
      %167 = cuda_tile.select %161, %130, %140 : tile<4x4x1x1xi1>, tile<4x4x1x1xi32>
      %168 = cuda_tile.cat %166, %167 dim = 2 : tile<4x4x1x1xi32>, tile<4x4x1x1xi32> -> tile<4x4x2x1xi32>
      %169 = cuda_tile.reshape %168 : tile<4x4x2x1xi32> -> tile<4x8xi32>
      %170 = cuda_tile.reshape %165 : tile<4x8xf32> -> tile<4x1x2x4xf32>
      %171 = cuda_tile.reshape %169 : tile<4x8xi32> -> tile<4x1x2x4xi32>
      %172 = cuda_tile.constant <i32: 0> : tile<i32>
      %173 = cuda_tile.constant <i32: 0> : tile<i32>
      %174 = cuda_tile.constant <i32: 0> : tile<i32>
      %175 = cuda_tile.constant <i32: 0> : tile<i32>
      %176 = cuda_tile.extract %170[%172, %173, %174, %175] : tile<4x1x2x4xf32> -> tile<4x1x1x4xf32>
      %177 = cuda_tile.constant <i32: 0> : tile<i32>
      %178 = cuda_tile.constant <i32: 0> : tile<i32>
      %179 = cuda_tile.constant <i32: 0> : tile<i32>
      %180 = cuda_tile.constant <i32: 0> : tile<i32>
      %181 = cuda_tile.extract %171[%177, %178, %179, %180] : tile<4x1x2x4xi32> -> tile<4x1x1x4xi32>
      %182 = cuda_tile.constant <i32: 0> : tile<i32>
      %183 = cuda_tile.constant <i32: 0> : tile<i32>
      %184 = cuda_tile.constant <i32: 1> : tile<i32>
      %185 = cuda_tile.constant <i32: 0> : tile<i32>
      %186 = cuda_tile.extract %170[%182, %183, %184, %185] : tile<4x1x2x4xf32> -> tile<4x1x1x4xf32>
      %187 = cuda_tile.constant <i32: 0> : tile<i32>
      %188 = cuda_tile.constant <i32: 0> : tile<i32>
      %189 = cuda_tile.constant <i32: 1> : tile<i32>
      %190 = cuda_tile.constant <i32: 0> : tile<i32>
      %191 = cuda_tile.extract %171[%187, %188, %189, %190] : tile<4x1x2x4xi32> -> tile<4x1x1x4xi32>
      %192 = cuda_tile.cmpf greater_than ordered %186, %176 : tile<4x1x1x4xf32> -> tile<4x1x1x4xi1>
      %193 = cuda_tile.cmpf not_equal unordered %186, %186 : tile<4x1x1x4xf32> -> tile<4x1x1x4xi1>
      %194 = cuda_tile.cmpf not_equal unordered %176, %176 : tile<4x1x1x4xf32> -> tile<4x1x1x4xi1>
      %195 = cuda_tile.constant <i1: false> : tile<4x1x1x4xi1>
      %196 = cuda_tile.cmpi equal %194, %195, unsigned : tile<4x1x1x4xi1> -> tile<4x1x1x4xi1>
      %197 = cuda_tile.andi %193, %196 : tile<4x1x1x4xi1>
      %198 = cuda_tile.ori %192, %197 : tile<4x1x1x4xi1>
      %199 = cuda_tile.cmpf equal ordered %186, %176 : tile<4x1x1x4xf32> -> tile<4x1x1x4xi1>
      %200 = cuda_tile.andi %193, %194 : tile<4x1x1x4xi1>
      %201 = cuda_tile.ori %199, %200 : tile<4x1x1x4xi1>
      %202 = cuda_tile.cmpi less_than %191, %181, signed : tile<4x1x1x4xi32> -> tile<4x1x1x4xi1>
      %203 = cuda_tile.andi %201, %202 : tile<4x1x1x4xi1>
      %204 = cuda_tile.ori %198, %203 : tile<4x1x1x4xi1>
      %205 = cuda_tile.select %204, %186, %176 : tile<4x1x1x4xi1>, tile<4x1x1x4xf32>
      %206 = cuda_tile.select %204, %176, %186 : tile<4x1x1x4xi1>, tile<4x1x1x4xf32>
      %207 = cuda_tile.cat %205, %206 dim = 2 : tile<4x1x1x4xf32>, tile<4x1x1x4xf32> -> tile<4x1x2x4xf32>
      %208 = cuda_tile.reshape %207 : tile<4x1x2x4xf32> -> tile<4x8xf32>
      %209 = cuda_tile.select %204, %191, %181 : tile<4x1x1x4xi1>, tile<4x1x1x4xi32>
      %210 = cuda_tile.select %204, %181, %191 : tile<4x1x1x4xi1>, tile<4x1x1x4xi32>
      %211 = cuda_tile.cat %209, %210 dim = 2 : tile<4x1x1x4xi32>, tile<4x1x1x4xi32> -> tile<4x1x2x4xi32>
      %212 = cuda_tile.reshape %211 : tile<4x1x2x4xi32> -> tile<4x8xi32>
      %213 = cuda_tile.reshape %208 : tile<4x8xf32> -> tile<4x2x2x2xf32>
      %214 = cuda_tile.reshape %212 : tile<4x8xi32> -> tile<4x2x2x2xi32>
      %215 = cuda_tile.constant <i32: 0> : tile<i32>
      %216 = cuda_tile.constant <i32: 0> : tile<i32>
      %217 = cuda_tile.constant <i32: 0> : tile<i32>
      %218 = cuda_tile.constant <i32: 0> : tile<i32>
      %219 = cuda_tile.extract %213[%215, %216, %217, %218] : tile<4x2x2x2xf32> -> tile<4x2x1x2xf32>
      %220 = cuda_tile.constant <i32: 0> : tile<i32>
      %221 = cuda_tile.constant <i32: 0> : tile<i32>
      %222 = cuda_tile.constant <i32: 0> : tile<i32>
      %223 = cuda_tile.constant <i32: 0> : tile<i32>
      %224 = cuda_tile.extract %214[%220, %221, %222, %223] : tile<4x2x2x2xi32> -> tile<4x2x1x2xi32>
      %225 = cuda_tile.constant <i32: 0> : tile<i32>
      %226 = cuda_tile.constant <i32: 0> : tile<i32>
      %227 = cuda_tile.constant <i32: 1> : tile<i32>
      %228 = cuda_tile.constant <i32: 0> : tile<i32>
      %229 = cuda_tile.extract %213[%225, %226, %227, %228] : tile<4x2x2x2xf32> -> tile<4x2x1x2xf32>
      %230 = cuda_tile.constant <i32: 0> : tile<i32>
      %231 = cuda_tile.constant <i32: 0> : tile<i32>
      %232 = cuda_tile.constant <i32: 1> : tile<i32>
      %233 = cuda_tile.constant <i32: 0> : tile<i32>
      %234 = cuda_tile.extract %214[%230, %231, %232, %233] : tile<4x2x2x2xi32> -> tile<4x2x1x2xi32>
      %235 = cuda_tile.cmpf greater_than ordered %229, %219 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %236 = cuda_tile.cmpf not_equal unordered %229, %229 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %237 = cuda_tile.cmpf not_equal unordered %219, %219 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %238 = cuda_tile.constant <i1: false> : tile<4x2x1x2xi1>
      %239 = cuda_tile.cmpi equal %237, %238, unsigned : tile<4x2x1x2xi1> -> tile<4x2x1x2xi1>
      %240 = cuda_tile.andi %236, %239 : tile<4x2x1x2xi1>
      %241 = cuda_tile.ori %235, %240 : tile<4x2x1x2xi1>
      %242 = cuda_tile.cmpf equal ordered %229, %219 : tile<4x2x1x2xf32> -> tile<4x2x1x2xi1>
      %243 = cuda_tile.andi %236, %237 : tile<4x2x1x2xi1>
      %244 = cuda_tile.ori %242, %243 : tile<4x2x1x2xi1>
      %245 = cuda_tile.cmpi less_than %234, %224, signed : tile<4x2x1x2xi32> -> tile<4x2x1x2xi1>
      %246 = cuda_tile.andi %244, %245 : tile<4x2x1x2xi1>
      %247 = cuda_tile.ori %241, %246 : tile<4x2x1x2xi1>
      %248 = cuda_tile.select %247, %229, %219 : tile<4x2x1x2xi1>, tile<4x2x1x2xf32>
      %249 = cuda_tile.select %247, %219, %229 : tile<4x2x1x2xi1>, tile<4x2x1x2xf32>
      %250 = cuda_tile.cat %248, %249 dim = 2 : tile<4x2x1x2xf32>, tile<4x2x1x2xf32> -> tile<4x2x2x2xf32>
      %251 = cuda_tile.reshape %250 : tile<4x2x2x2xf32> -> tile<4x8xf32>
      %252 = cuda_tile.select %247, %234, %224 : tile<4x2x1x2xi1>, tile<4x2x1x2xi32>
      %253 = cuda_tile.select %247, %224, %234 : tile<4x2x1x2xi1>, tile<4x2x1x2xi32>
      %254 = cuda_tile.cat %252, %253 dim = 2 : tile<4x2x1x2xi32>, tile<4x2x1x2xi32> -> tile<4x2x2x2xi32>
      %255 = cuda_tile.reshape %254 : tile<4x2x2x2xi32> -> tile<4x8xi32>
      %256 = cuda_tile.reshape %251 : tile<4x8xf32> -> tile<4x4x2x1xf32>
      %257 = cuda_tile.reshape %255 : tile<4x8xi32> -> tile<4x4x2x1xi32>
      %258 = cuda_tile.constant <i32: 0> : tile<i32>
      %259 = cuda_tile.constant <i32: 0> : tile<i32>
      %260 = cuda_tile.constant <i32: 0> : tile<i32>
      %261 = cuda_tile.constant <i32: 0> : tile<i32>
      %262 = cuda_tile.extract %256[%258, %259, %260, %261] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %263 = cuda_tile.constant <i32: 0> : tile<i32>
      %264 = cuda_tile.constant <i32: 0> : tile<i32>
      %265 = cuda_tile.constant <i32: 0> : tile<i32>
      %266 = cuda_tile.constant <i32: 0> : tile<i32>
      %267 = cuda_tile.extract %257[%263, %264, %265, %266] : tile<4x4x2x1xi32> -> tile<4x4x1x1xi32>
      %268 = cuda_tile.constant <i32: 0> : tile<i32>
      %269 = cuda_tile.constant <i32: 0> : tile<i32>
      %270 = cuda_tile.constant <i32: 1> : tile<i32>
      %271 = cuda_tile.constant <i32: 0> : tile<i32>
      %272 = cuda_tile.extract %256[%268, %269, %270, %271] : tile<4x4x2x1xf32> -> tile<4x4x1x1xf32>
      %273 = cuda_tile.constant <i32: 0> : tile<i32>
      %274 = cuda_tile.constant <i32: 0> : tile<i32>
      %275 = cuda_tile.constant <i32: 1> : tile<i32>
      %276 = cuda_tile.constant <i32: 0> : tile<i32>
      %277 = cuda_tile.extract %257[%273, %274, %275, %276] : tile<4x4x2x1xi32> -> tile<4x4x1x1xi32>
      %278 = cuda_tile.cmpf greater_than ordered %272, %262 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %279 = cuda_tile.cmpf not_equal unordered %272, %272 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %280 = cuda_tile.cmpf not_equal unordered %262, %262 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %281 = cuda_tile.constant <i1: false> : tile<4x4x1x1xi1>
      %282 = cuda_tile.cmpi equal %280, %281, unsigned : tile<4x4x1x1xi1> -> tile<4x4x1x1xi1>
      %283 = cuda_tile.andi %279, %282 : tile<4x4x1x1xi1>
      %284 = cuda_tile.ori %278, %283 : tile<4x4x1x1xi1>
      %285 = cuda_tile.cmpf equal ordered %272, %262 : tile<4x4x1x1xf32> -> tile<4x4x1x1xi1>
      %286 = cuda_tile.andi %279, %280 : tile<4x4x1x1xi1>
      %287 = cuda_tile.ori %285, %286 : tile<4x4x1x1xi1>
      %288 = cuda_tile.cmpi less_than %277, %267, signed : tile<4x4x1x1xi32> -> tile<4x4x1x1xi1>
      %289 = cuda_tile.andi %287, %288 : tile<4x4x1x1xi1>
      %290 = cuda_tile.ori %284, %289 : tile<4x4x1x1xi1>
      %291 = cuda_tile.select %290, %272, %262 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %292 = cuda_tile.select %290, %262, %272 : tile<4x4x1x1xi1>, tile<4x4x1x1xf32>
      %293 = cuda_tile.cat %291, %292 dim = 2 : tile<4x4x1x1xf32>, tile<4x4x1x1xf32> -> tile<4x4x2x1xf32>
      %294 = cuda_tile.reshape %293 : tile<4x4x2x1xf32> -> tile<4x8xf32>
      %295 = cuda_tile.select %290, %277, %267 : tile<4x4x1x1xi1>, tile<4x4x1x1xi32>
      %296 = cuda_tile.select %290, %267, %277 : tile<4x4x1x1xi1>, tile<4x4x1x1xi32>
      %297 = cuda_tile.cat %295, %296 dim = 2 : tile<4x4x1x1xi32>, tile<4x4x1x1xi32> -> tile<4x4x2x1xi32>
      %298 = cuda_tile.reshape %297 : tile<4x4x2x1xi32> -> tile<4x8xi32>
      %299 = cuda_tile.constant <i32: 0> : tile<i32>
      %300 = cuda_tile.constant <i32: 0> : tile<i32>
      %301 = cuda_tile.extract %294[%299, %300] : tile<4x8xf32> -> tile<4x2xf32>
      %302 = cuda_tile.constant <i32: 0> : tile<i32>
      %303 = cuda_tile.constant <i32: 0> : tile<i32>
      %304 = cuda_tile.extract %298[%302, %303] : tile<4x8xi32> -> tile<4x2xi32>
// r = fh.mma(t, t.T, fh.zeros((4, 4), f32), fast_acc=False)
      %14 = cuda_tile.permute %t [1, 0] : tile<4x8xf32> -> tile<8x4xf32>
      %15 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x4xf32>
      %r = cuda_tile.mmaf %t, %14, %15 : tile<4x8xf32>, tile<8x4xf32>, tile<4x4xf32>
// r = t @ t.T
      %14 = cuda_tile.permute %t [1, 0] : tile<4x8xf32> -> tile<8x4xf32>
      %15 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x4xf32>
      %r = cuda_tile.mmaf %t, %14, %15 : tile<4x8xf32>, tile<8x4xf32>, tile<4x4xf32>
// r = fh.random_bits(n, i)
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %16 = cuda_tile.reshape %n : tile<i32> -> tile<1xi32>
      %17 = cuda_tile.broadcast %16 : tile<1xi32> -> tile<8xi32>
      %18 = cuda_tile.reshape %14 : tile<i32> -> tile<1xi32>
      %19 = cuda_tile.broadcast %18 : tile<1xi32> -> tile<8xi32>
      %20 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %21 = cuda_tile.constant <i32: -766435501> : tile<8xi32>
      %22 = cuda_tile.constant <i32: -845247145> : tile<8xi32>
      %23 = cuda_tile.mulhii %21, %i : tile<8xi32>
      %24 = cuda_tile.muli %21, %i : tile<8xi32>
      %25 = cuda_tile.mulhii %22, %20 : tile<8xi32>
      %26 = cuda_tile.muli %22, %20 : tile<8xi32>
      %27 = cuda_tile.xori %25, %15 : tile<8xi32>
      %28 = cuda_tile.xori %27, %17 : tile<8xi32>
      %29 = cuda_tile.xori %23, %20 : tile<8xi32>
      %30 = cuda_tile.xori %29, %19 : tile<8xi32>
      %31 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %32 = cuda_tile.addi %17, %31 : tile<8xi32>
      %33 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %34 = cuda_tile.addi %19, %33 : tile<8xi32>
      %35 = cuda_tile.mulhii %21, %28 : tile<8xi32>
      %36 = cuda_tile.muli %21, %28 : tile<8xi32>
      %37 = cuda_tile.mulhii %22, %30 : tile<8xi32>
      %38 = cuda_tile.muli %22, %30 : tile<8xi32>
      %39 = cuda_tile.xori %37, %26 : tile<8xi32>
      %40 = cuda_tile.xori %39, %32 : tile<8xi32>
      %41 = cuda_tile.xori %35, %24 : tile<8xi32>
      %42 = cuda_tile.xori %41, %34 : tile<8xi32>
      %43 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %44 = cuda_tile.addi %32, %43 : tile<8xi32>
      %45 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %46 = cuda_tile.addi %34, %45 : tile<8xi32>
      %47 = cuda_tile.mulhii %21, %40 : tile<8xi32>
      %48 = cuda_tile.muli %21, %40 : tile<8xi32>
      %49 = cuda_tile.mulhii %22, %42 : tile<8xi32>
      %50 = cuda_tile.muli %22, %42 : tile<8xi32>
      %51 = cuda_tile.xori %49, %38 : tile<8xi32>
      %52 = cuda_tile.xori %51, %44 : tile<8xi32>
      %53 = cuda_tile.xori %47, %36 : tile<8xi32>
      %54 = cuda_tile.xori %53, %46 : tile<8xi32>
      %55 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %56 = cuda_tile.addi %44, %55 : tile<8xi32>
      %57 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %58 = cuda_tile.addi %46, %57 : tile<8xi32>
      %59 = cuda_tile.mulhii %21, %52 : tile<8xi32>
      %60 = cuda_tile.muli %21, %52 : tile<8xi32>
      %61 = cuda_tile.mulhii %22, %54 : tile<8xi32>
      %62 = cuda_tile.muli %22, %54 : tile<8xi32>
      %63 = cuda_tile.xori %61, %50 : tile<8xi32>
      %64 = cuda_tile.xori %63, %56 : tile<8xi32>
      %65 = cuda_tile.xori %59, %48 : tile<8xi32>
      %66 = cuda_tile.xori %65, %58 : tile<8xi32>
      %67 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %68 = cuda_tile.addi %56, %67 : tile<8xi32>
      %69 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %70 = cuda_tile.addi %58, %69 : tile<8xi32>
      %71 = cuda_tile.mulhii %21, %64 : tile<8xi32>
      %72 = cuda_tile.muli %21, %64 : tile<8xi32>
      %73 = cuda_tile.mulhii %22, %66 : tile<8xi32>
      %74 = cuda_tile.muli %22, %66 : tile<8xi32>
      %75 = cuda_tile.xori %73, %62 : tile<8xi32>
      %76 = cuda_tile.xori %75, %68 : tile<8xi32>
      %77 = cuda_tile.xori %71, %60 : tile<8xi32>
      %78 = cuda_tile.xori %77, %70 : tile<8xi32>
      %79 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %80 = cuda_tile.addi %68, %79 : tile<8xi32>
      %81 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %82 = cuda_tile.addi %70, %81 : tile<8xi32>
      %83 = cuda_tile.mulhii %21, %76 : tile<8xi32>
      %84 = cuda_tile.muli %21, %76 : tile<8xi32>
      %85 = cuda_tile.mulhii %22, %78 : tile<8xi32>
      %86 = cuda_tile.muli %22, %78 : tile<8xi32>
      %87 = cuda_tile.xori %85, %74 : tile<8xi32>
      %88 = cuda_tile.xori %87, %80 : tile<8xi32>
      %89 = cuda_tile.xori %83, %72 : tile<8xi32>
      %90 = cuda_tile.xori %89, %82 : tile<8xi32>
      %91 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %92 = cuda_tile.addi %80, %91 : tile<8xi32>
      %93 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %94 = cuda_tile.addi %82, %93 : tile<8xi32>
      %95 = cuda_tile.mulhii %21, %88 : tile<8xi32>
      %96 = cuda_tile.muli %21, %88 : tile<8xi32>
      %97 = cuda_tile.mulhii %22, %90 : tile<8xi32>
      %98 = cuda_tile.muli %22, %90 : tile<8xi32>
      %99 = cuda_tile.xori %97, %86 : tile<8xi32>
      %100 = cuda_tile.xori %99, %92 : tile<8xi32>
      %101 = cuda_tile.xori %95, %84 : tile<8xi32>
      %102 = cuda_tile.xori %101, %94 : tile<8xi32>
      %103 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %104 = cuda_tile.addi %92, %103 : tile<8xi32>
      %105 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %106 = cuda_tile.addi %94, %105 : tile<8xi32>
      %107 = cuda_tile.mulhii %21, %100 : tile<8xi32>
      %108 = cuda_tile.muli %21, %100 : tile<8xi32>
      %109 = cuda_tile.mulhii %22, %102 : tile<8xi32>
      %110 = cuda_tile.muli %22, %102 : tile<8xi32>
      %111 = cuda_tile.xori %109, %98 : tile<8xi32>
      %112 = cuda_tile.xori %111, %104 : tile<8xi32>
      %113 = cuda_tile.xori %107, %96 : tile<8xi32>
      %114 = cuda_tile.xori %113, %106 : tile<8xi32>
      %115 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %116 = cuda_tile.addi %104, %115 : tile<8xi32>
      %117 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %118 = cuda_tile.addi %106, %117 : tile<8xi32>
      %119 = cuda_tile.mulhii %21, %112 : tile<8xi32>
      %120 = cuda_tile.muli %21, %112 : tile<8xi32>
      %121 = cuda_tile.mulhii %22, %114 : tile<8xi32>
      %122 = cuda_tile.muli %22, %114 : tile<8xi32>
      %123 = cuda_tile.xori %121, %110 : tile<8xi32>
      %124 = cuda_tile.xori %123, %116 : tile<8xi32>
      %125 = cuda_tile.xori %119, %108 : tile<8xi32>
      %126 = cuda_tile.xori %125, %118 : tile<8xi32>
      %127 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %128 = cuda_tile.addi %116, %127 : tile<8xi32>
      %129 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %130 = cuda_tile.addi %118, %129 : tile<8xi32>
      %131 = cuda_tile.mulhii %21, %124 : tile<8xi32>
      %132 = cuda_tile.muli %21, %124 : tile<8xi32>
      %133 = cuda_tile.mulhii %22, %126 : tile<8xi32>
      %134 = cuda_tile.muli %22, %126 : tile<8xi32>
      %135 = cuda_tile.xori %133, %122 : tile<8xi32>
      %r = cuda_tile.xori %135, %128 : tile<8xi32>
      %136 = cuda_tile.xori %131, %120 : tile<8xi32>
      %137 = cuda_tile.xori %136, %130 : tile<8xi32>
// r = fh.random_uniform(1, i)
      %14 = cuda_tile.constant <i32: 1> : tile<i32>
      %15 = cuda_tile.constant <i32: 0> : tile<i32>
      %16 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %17 = cuda_tile.reshape %14 : tile<i32> -> tile<1xi32>
      %18 = cuda_tile.broadcast %17 : tile<1xi32> -> tile<8xi32>
      %19 = cuda_tile.reshape %15 : tile<i32> -> tile<1xi32>
      %20 = cuda_tile.broadcast %19 : tile<1xi32> -> tile<8xi32>
      %21 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %22 = cuda_tile.constant <i32: -766435501> : tile<8xi32>
      %23 = cuda_tile.constant <i32: -845247145> : tile<8xi32>
      %24 = cuda_tile.mulhii %22, %i : tile<8xi32>
      %25 = cuda_tile.muli %22, %i : tile<8xi32>
      %26 = cuda_tile.mulhii %23, %21 : tile<8xi32>
      %27 = cuda_tile.muli %23, %21 : tile<8xi32>
      %28 = cuda_tile.xori %26, %16 : tile<8xi32>
      %29 = cuda_tile.xori %28, %18 : tile<8xi32>
      %30 = cuda_tile.xori %24, %21 : tile<8xi32>
      %31 = cuda_tile.xori %30, %20 : tile<8xi32>
      %32 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %33 = cuda_tile.addi %18, %32 : tile<8xi32>
      %34 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %35 = cuda_tile.addi %20, %34 : tile<8xi32>
      %36 = cuda_tile.mulhii %22, %29 : tile<8xi32>
      %37 = cuda_tile.muli %22, %29 : tile<8xi32>
      %38 = cuda_tile.mulhii %23, %31 : tile<8xi32>
      %39 = cuda_tile.muli %23, %31 : tile<8xi32>
      %40 = cuda_tile.xori %38, %27 : tile<8xi32>
      %41 = cuda_tile.xori %40, %33 : tile<8xi32>
      %42 = cuda_tile.xori %36, %25 : tile<8xi32>
      %43 = cuda_tile.xori %42, %35 : tile<8xi32>
      %44 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %45 = cuda_tile.addi %33, %44 : tile<8xi32>
      %46 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %47 = cuda_tile.addi %35, %46 : tile<8xi32>
      %48 = cuda_tile.mulhii %22, %41 : tile<8xi32>
      %49 = cuda_tile.muli %22, %41 : tile<8xi32>
      %50 = cuda_tile.mulhii %23, %43 : tile<8xi32>
      %51 = cuda_tile.muli %23, %43 : tile<8xi32>
      %52 = cuda_tile.xori %50, %39 : tile<8xi32>
      %53 = cuda_tile.xori %52, %45 : tile<8xi32>
      %54 = cuda_tile.xori %48, %37 : tile<8xi32>
      %55 = cuda_tile.xori %54, %47 : tile<8xi32>
      %56 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %57 = cuda_tile.addi %45, %56 : tile<8xi32>
      %58 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %59 = cuda_tile.addi %47, %58 : tile<8xi32>
      %60 = cuda_tile.mulhii %22, %53 : tile<8xi32>
      %61 = cuda_tile.muli %22, %53 : tile<8xi32>
      %62 = cuda_tile.mulhii %23, %55 : tile<8xi32>
      %63 = cuda_tile.muli %23, %55 : tile<8xi32>
      %64 = cuda_tile.xori %62, %51 : tile<8xi32>
      %65 = cuda_tile.xori %64, %57 : tile<8xi32>
      %66 = cuda_tile.xori %60, %49 : tile<8xi32>
      %67 = cuda_tile.xori %66, %59 : tile<8xi32>
      %68 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %69 = cuda_tile.addi %57, %68 : tile<8xi32>
      %70 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %71 = cuda_tile.addi %59, %70 : tile<8xi32>
      %72 = cuda_tile.mulhii %22, %65 : tile<8xi32>
      %73 = cuda_tile.muli %22, %65 : tile<8xi32>
      %74 = cuda_tile.mulhii %23, %67 : tile<8xi32>
      %75 = cuda_tile.muli %23, %67 : tile<8xi32>
      %76 = cuda_tile.xori %74, %63 : tile<8xi32>
      %77 = cuda_tile.xori %76, %69 : tile<8xi32>
      %78 = cuda_tile.xori %72, %61 : tile<8xi32>
      %79 = cuda_tile.xori %78, %71 : tile<8xi32>
      %80 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %81 = cuda_tile.addi %69, %80 : tile<8xi32>
      %82 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %83 = cuda_tile.addi %71, %82 : tile<8xi32>
      %84 = cuda_tile.mulhii %22, %77 : tile<8xi32>
      %85 = cuda_tile.muli %22, %77 : tile<8xi32>
      %86 = cuda_tile.mulhii %23, %79 : tile<8xi32>
      %87 = cuda_tile.muli %23, %79 : tile<8xi32>
      %88 = cuda_tile.xori %86, %75 : tile<8xi32>
      %89 = cuda_tile.xori %88, %81 : tile<8xi32>
      %90 = cuda_tile.xori %84, %73 : tile<8xi32>
      %91 = cuda_tile.xori %90, %83 : tile<8xi32>
      %92 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %93 = cuda_tile.addi %81, %92 : tile<8xi32>
      %94 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %95 = cuda_tile.addi %83, %94 : tile<8xi32>
      %96 = cuda_tile.mulhii %22, %89 : tile<8xi32>
      %97 = cuda_tile.muli %22, %89 : tile<8xi32>
      %98 = cuda_tile.mulhii %23, %91 : tile<8xi32>
      %99 = cuda_tile.muli %23, %91 : tile<8xi32>
      %100 = cuda_tile.xori %98, %87 : tile<8xi32>
      %101 = cuda_tile.xori %100, %93 : tile<8xi32>
      %102 = cuda_tile.xori %96, %85 : tile<8xi32>
      %103 = cuda_tile.xori %102, %95 : tile<8xi32>
      %104 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %105 = cuda_tile.addi %93, %104 : tile<8xi32>
      %106 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %107 = cuda_tile.addi %95, %106 : tile<8xi32>
      %108 = cuda_tile.mulhii %22, %101 : tile<8xi32>
      %109 = cuda_tile.muli %22, %101 : tile<8xi32>
      %110 = cuda_tile.mulhii %23, %103 : tile<8xi32>
      %111 = cuda_tile.muli %23, %103 : tile<8xi32>
      %112 = cuda_tile.xori %110, %99 : tile<8xi32>
      %113 = cuda_tile.xori %112, %105 : tile<8xi32>
      %114 = cuda_tile.xori %108, %97 : tile<8xi32>
      %115 = cuda_tile.xori %114, %107 : tile<8xi32>
      %116 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %117 = cuda_tile.addi %105, %116 : tile<8xi32>
      %118 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %119 = cuda_tile.addi %107, %118 : tile<8xi32>
      %120 = cuda_tile.mulhii %22, %113 : tile<8xi32>
      %121 = cuda_tile.muli %22, %113 : tile<8xi32>
      %122 = cuda_tile.mulhii %23, %115 : tile<8xi32>
      %123 = cuda_tile.muli %23, %115 : tile<8xi32>
      %124 = cuda_tile.xori %122, %111 : tile<8xi32>
      %125 = cuda_tile.xori %124, %117 : tile<8xi32>
      %126 = cuda_tile.xori %120, %109 : tile<8xi32>
      %127 = cuda_tile.xori %126, %119 : tile<8xi32>
      %128 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %129 = cuda_tile.addi %117, %128 : tile<8xi32>
      %130 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %131 = cuda_tile.addi %119, %130 : tile<8xi32>
      %132 = cuda_tile.mulhii %22, %125 : tile<8xi32>
      %133 = cuda_tile.muli %22, %125 : tile<8xi32>
      %134 = cuda_tile.mulhii %23, %127 : tile<8xi32>
      %135 = cuda_tile.muli %23, %127 : tile<8xi32>
      %136 = cuda_tile.xori %134, %123 : tile<8xi32>
      %137 = cuda_tile.xori %136, %129 : tile<8xi32>
      %138 = cuda_tile.xori %132, %121 : tile<8xi32>
      %139 = cuda_tile.xori %138, %131 : tile<8xi32>
      %140 = cuda_tile.constant <i32: 8> : tile<8xi32>
      %141 = cuda_tile.shri %137, %140 unsigned : tile<8xi32>
      %142 = cuda_tile.itof %141 unsigned : tile<8xi32> -> tile<8xf32>
      %143 = cuda_tile.constant <f32: 5.96046448E-8> : tile<8xf32>
      %r = cuda_tile.mulf %142, %143 : tile<8xf32>
// r = fh.zeros((4, 8), f32)
      %r = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
// r = fh.ones((4, 8), i32)
      %r = cuda_tile.constant <i32: 1> : tile<4x8xi32>
// r = fh.full((4, 8), n, i32)
      %14 = cuda_tile.reshape %n : tile<i32> -> tile<1x1xi32>
      %r = cuda_tile.broadcast %14 : tile<1x1xi32> -> tile<4x8xi32>
// r = fh.full((4, 8), 1.5, f32)
      %r = cuda_tile.constant <f32: 1.500000e+00> : tile<4x8xf32>
// r = fh.arange(0, 16, 2, i64)
      %14 = cuda_tile.iota : tile<8xi64>
      %15 = cuda_tile.constant <i64: 2> : tile<8xi64>
      %r = cuda_tile.muli %14, %15 : tile<8xi64>
// r = fh.arange(8)
      %r = cuda_tile.iota : tile<8xi32>
// r = fh.reshape(t, (8, 4))
      %r = cuda_tile.reshape %t : tile<4x8xf32> -> tile<8x4xf32>
// r = t.reshape(2, 16)
      %r = cuda_tile.reshape %t : tile<4x8xf32> -> tile<2x16xf32>
// r = fh.permute(t, (1, 0))
      %r = cuda_tile.permute %t [1, 0] : tile<4x8xf32> -> tile<8x4xf32>
// r = t.permute((1, 0))
      %r = cuda_tile.permute %t [1, 0] : tile<4x8xf32> -> tile<8x4xf32>
// r = t.transpose(1, 0)
      %r = cuda_tile.permute %t [1, 0] : tile<4x8xf32> -> tile<8x4xf32>
// r = fh.transpose(t, (1, 0))
      %r = cuda_tile.permute %t [1, 0] : tile<4x8xf32> -> tile<8x4xf32>
// r = t.flatten()
      %r = cuda_tile.reshape %t : tile<4x8xf32> -> tile<32xf32>
// r = t.squeeze()
// r = t.sum(axis=0, keepdims=True).squeeze(0)
      %14 = cuda_tile.reduce %t dim=0 identities=[0.000000e+00 : f32] : tile<4x8xf32> -> tile<8xf32>
      (%15: tile<f32>, %16: tile<f32>) {
        %17 = cuda_tile.addf %15, %16 : tile<f32>
        cuda_tile.yield %17 : tile<f32>
      }
      %18 = cuda_tile.reshape %14 : tile<8xf32> -> tile<1x8xf32>
      %r = cuda_tile.reshape %18 : tile<1x8xf32> -> tile<8xf32>
// r = fh.expand_dims(t, 1)
      %r = cuda_tile.reshape %t : tile<4x8xf32> -> tile<4x1x8xf32>
// r = fh.broadcast_to(t[0], (4, 8))
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 0> : tile<i32>
      %16 = cuda_tile.extract %t[%14, %15] : tile<4x8xf32> -> tile<1x8xf32>
      %17 = cuda_tile.reshape %16 : tile<1x8xf32> -> tile<8xf32>
      %18 = cuda_tile.reshape %17 : tile<8xf32> -> tile<1x8xf32>
      %r = cuda_tile.broadcast %18 : tile<1x8xf32> -> tile<4x8xf32>
// r = fh.concatenate((t, t), axis=1)
      %r = cuda_tile.cat %t, %t dim = 1 : tile<4x8xf32>, tile<4x8xf32> -> tile<4x16xf32>
// r = fh.bitcast(t, i32)
      %r = cuda_tile.bitcast %t : tile<4x8xf32> -> tile<4x8xi32>
// r = fh.extract(t, (0, n), (2, 4))
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 1> : tile<i32>
      %16 = cuda_tile.andi %n, %15 : tile<i32>
      %r = cuda_tile.extract %t[%14, %16] : tile<4x8xf32> -> tile<2x4xf32>
// r = t.extract((n, 0), (2, 4))
      %14 = cuda_tile.constant <i32: 1> : tile<i32>
      %15 = cuda_tile.andi %n, %14 : tile<i32>
      %16 = cuda_tile.constant <i32: 0> : tile<i32>
      %r = cuda_tile.extract %t[%15, %16] : tile<4x8xf32> -> tile<2x4xf32>
// r = fh.insert(t, (n, 0), fh.zeros((2, 4), f32))
      %14 = cuda_tile.constant <f32: 0.000000e+00> : tile<2x4xf32>
      %15 = cuda_tile.constant <i32: 1> : tile<i32>
      %16 = cuda_tile.andi %n, %15 : tile<i32>
      %17 = cuda_tile.constant <i32: 0> : tile<i32>
      %r = cuda_tile.insert %14, %t[%16, %17] : tile<2x4xf32>, tile<4x8xf32>
// r = t.insert((0, 0), t[:2, :4])
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 0> : tile<i32>
      %16 = cuda_tile.extract %t[%14, %15] : tile<4x8xf32> -> tile<2x4xf32>
      %17 = cuda_tile.constant <i32: 0> : tile<i32>
      %18 = cuda_tile.constant <i32: 0> : tile<i32>
      %r = cuda_tile.insert %16, %t[%17, %18] : tile<2x4xf32>, tile<4x8xf32>
// r = fh.pack(q)
      %r = cuda_tile.bitcast %q : tile<8xf8E5M2> -> tile<8xi8>
// r = fh.unpack(fh.pack(q), f8e5m2)
      %14 = cuda_tile.bitcast %q : tile<8xf8E5M2> -> tile<8xi8>
      %r = cuda_tile.bitcast %14 : tile<8xi8> -> tile<8xf8E5M2>
// r = t.astype(f16)
      %r = cuda_tile.ftof %t : tile<4x8xf32> -> tile<4x8xf16>
// r = t.astype(i32, saturate=True)
      %r = cuda_tile.ftoi %t signed saturating : tile<4x8xf32> -> tile<4x8xi32>
// r = t.sum().item()
      %14 = cuda_tile.reduce %t dim=1 identities=[0.000000e+00 : f32] : tile<4x8xf32> -> tile<4xf32>
      (%15: tile<f32>, %16: tile<f32>) {
        %17 = cuda_tile.addf %15, %16 : tile<f32>
        cuda_tile.yield %17 : tile<f32>
      }
      %r = cuda_tile.reduce %14 dim=0 identities=[0.000000e+00 : f32] : tile<4xf32> -> tile<f32>
      (%18: tile<f32>, %19: tile<f32>) {
        %20 = cuda_tile.addf %18, %19 : tile<f32>
        cuda_tile.yield %20 : tile<f32>
      }
// r = x.load_from((n, 0), (4, 8))
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %r = ownership.load_from %2[%n, %14] : !ownership.ref<[M, N], f32> -> tile<4x8xf32>
// r = x.load((n, 0), (4, 8), padding='nan', latency=2, allow_tma=True)
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %r = ownership.load %2[%n, %14] {padding_value = #cuda_tile.padding_value<nan>, hints = #cuda_tile.optimization_hints<default = {allow_tma = true, latency = 2 : i64}>} : !ownership.ref<[M, N], f32> -> tile<4x8xf32>
// r = x.load((0, 0), shape=(4, 8))
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 0> : tile<i32>
      %r = ownership.load %2[%14, %15] : !ownership.ref<[M, N], f32> -> tile<4x8xf32>
// r = x.load_like(y)
      %r = ownership.load %2[%7, %8] : !ownership.ref<[M, N], f32> -> tile<4x8xf32>
// r = x.gather(fh.arange(8), i, mask=i > 0, padding=1.0)
      %14 = cuda_tile.iota : tile<8xi32>
      %15 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %16 = cuda_tile.cmpi greater_than %i, %15, signed : tile<8xi32> -> tile<8xi1>
      %r = ownership.gather %2[%14, %i] mask %16 : tile<8xi1> {padding_value = #cuda_tile.dense<f32: 1.000000e+00, tile<f32>>} : !ownership.ref<[M, N], f32>, (tile<8xi32>, tile<8xi32>) -> tile<8xf32>
// r = x.gather(n, i)
      %14 = cuda_tile.reshape %n : tile<i32> -> tile<1xi32>
      %r = ownership.gather %2[%14, %i] : !ownership.ref<[M, N], f32>, (tile<1xi32>, tile<8xi32>) -> tile<8xf32>
// r = v.gather(i)
      %r = ownership.gather %3[%i] : !ownership.ref<[N], i32>, (tile<8xi32>) -> tile<8xi32>
// r = f32(n)
      %r = cuda_tile.itof %n signed : tile<i32> -> tile<f32>
// r = i8(2.5)
      %r = cuda_tile.constant <i8: 2> : tile<i8>
// r = float(n)
      %r = cuda_tile.itof %n signed : tile<i32> -> tile<f32>
// r = int(n)
// r = bool(n)
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %r = cuda_tile.cmpi not_equal %n, %14, signed : tile<i32> -> tile<i1>
// r = abs(n)
      %r = cuda_tile.absi %n : tile<i32>
// r = max(n, 1)
      %14 = cuda_tile.constant <i32: 1> : tile<i32>
      %r = cuda_tile.maxi %n, %14 signed : tile<i32>
// r = min((t, 1.0, n))
      %14 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %15 = cuda_tile.minf %t, %14 propagate_nan : tile<4x8xf32>
      %16 = cuda_tile.itof %n signed : tile<i32> -> tile<f32>
      %17 = cuda_tile.reshape %16 : tile<f32> -> tile<1x1xf32>
      %18 = cuda_tile.broadcast %17 : tile<1x1xf32> -> tile<4x8xf32>
      %r = cuda_tile.minf %15, %18 propagate_nan : tile<4x8xf32>
// r = sum((t, 1.0), 2.0)
      %14 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
      %15 = cuda_tile.addf %14, %t : tile<4x8xf32>
      %16 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %r = cuda_tile.addf %15, %16 : tile<4x8xf32>
// r = divmod(n, 2)
      %14 = cuda_tile.constant <i32: 2> : tile<i32>
      %15 = cuda_tile.divi %n, %14 signed rounding<negative_inf> : tile<i32>
      %16 = cuda_tile.constant <i32: 2> : tile<i32>
      %17 = cuda_tile.divi %n, %16 signed rounding<negative_inf> : tile<i32>
      %18 = cuda_tile.muli %17, %16 : tile<i32>
      %19 = cuda_tile.subi %n, %18 : tile<i32>
// r = len((n, t))
// r = isinstance(t, fh.Tile)
// r = any((n > 0, True))
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
// r = all((n > 0, n < 3))
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %16 = cuda_tile.constant <i32: 3> : tile<i32>
      %17 = cuda_tile.cmpi less_than %n, %16, signed : tile<i32> -> tile<i1>
      %r = cuda_tile.andi %15, %17 : tile<i1>
// r = tuple(zip((n, 1), (t, 2)))
// r = tuple(enumerate((n, t), 1))
// r = reversed((n, t))
// r = range(3)
// r = f'{2:03d}'
// r = math.sqrt(16)
// r = math.isclose(1.0, 1.2, rel_tol=0.5)
// r = Pair(n, y=t)
// r = Pair(n, t).x
// r = first(n, 2, c=t)
// r = first(t, b=n)
// r = (n, t)[0]
// r = (1, 2, 3)[1:]
// r = t[1, :4]
      %14 = cuda_tile.constant <i32: 1> : tile<i32>
      %15 = cuda_tile.constant <i32: 0> : tile<i32>
      %16 = cuda_tile.extract %t[%14, %15] : tile<4x8xf32> -> tile<1x4xf32>
      %r = cuda_tile.reshape %16 : tile<1x4xf32> -> tile<4xf32>
// r = t[:, None]
      %r = cuda_tile.reshape %t : tile<4x8xf32> -> tile<4x1x8xf32>
// r = t[..., 0]
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 0> : tile<i32>
      %16 = cuda_tile.extract %t[%14, %15] : tile<4x8xf32> -> tile<4x1xf32>
      %r = cuda_tile.reshape %16 : tile<4x1xf32> -> tile<4xf32>
// r = x.shape[1]
      %14 = ownership.dim %2, 0 : !ownership.ref<[M, N], f32>
      %r = ownership.dim %2, 1 : !ownership.ref<[M, N], f32>
// r = y.tile[0]
// r = y.index[1]
    ^bb0(%7: tile<i32>, %r: tile<i32>):
      %8 = ownership.region %0[%7, %r] : !ownership.partition<out tile [4, 8], [M, N], f32> -> !ownership.region<out tile [4, 8], [M, N], f32>
      %9 = ownership.region %1[%7, %r] : !ownership.partition<mut tile [4, 8], [M, N], f32> -> !ownership.region<mut tile [4, 8], [M, N], f32>
      %t = ownership.load %2[%7, %r] : !ownership.ref<[M, N], f32> -> tile<4x8xf32>
      %10 = cuda_tile.constant <i32: 0> : tile<i32>
      %i = ownership.load %3[%10] : !ownership.ref<[N], i32> -> tile<8xi32>
      %11 = cuda_tile.bitcast %i : tile<8xi32> -> tile<8xf32>
      %q = cuda_tile.ftof %11 : tile<8xf32> -> tile<8xf8E5M2>
      %12 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %p = cuda_tile.cmpf greater_than ordered %t, %12 : tile<4x8xf32> -> tile<4x8xi1>
// r = t + n
      %14 = cuda_tile.itof %n signed : tile<i32> -> tile<f32>
      %15 = cuda_tile.reshape %14 : tile<f32> -> tile<1x1xf32>
      %16 = cuda_tile.broadcast %15 : tile<1x1xf32> -> tile<4x8xf32>
      %r = cuda_tile.addf %t, %16 : tile<4x8xf32>
// r = t - 1.0
      %14 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %r = cuda_tile.subf %t, %14 : tile<4x8xf32>
// r = t * t
      %r = cuda_tile.mulf %t, %t : tile<4x8xf32>
// r = t / n
      %14 = cuda_tile.itof %n signed : tile<i32> -> tile<f32>
      %15 = cuda_tile.reshape %14 : tile<f32> -> tile<1x1xf32>
      %16 = cuda_tile.broadcast %15 : tile<1x1xf32> -> tile<4x8xf32>
      %r = cuda_tile.divf %t, %16 : tile<4x8xf32>
// r = i // 2
      %14 = cuda_tile.constant <i32: 2> : tile<8xi32>
      %r = cuda_tile.divi %i, %14 signed rounding<negative_inf> : tile<8xi32>
// r = i % n
      %14 = cuda_tile.reshape %n : tile<i32> -> tile<1xi32>
      %15 = cuda_tile.broadcast %14 : tile<1xi32> -> tile<8xi32>
      %16 = cuda_tile.divi %i, %15 signed rounding<negative_inf> : tile<8xi32>
      %17 = cuda_tile.muli %16, %15 : tile<8xi32>
      %r = cuda_tile.subi %i, %17 : tile<8xi32>
// r = t ** 2
      %r = cuda_tile.mulf %t, %t : tile<4x8xf32>
// r = i ** 2
      %r = cuda_tile.muli %i, %i : tile<8xi32>
// r = i & 1
      %14 = cuda_tile.constant <i32: 1> : tile<8xi32>
      %r = cuda_tile.andi %i, %14 : tile<8xi32>
// r = i | n
      %14 = cuda_tile.reshape %n : tile<i32> -> tile<1xi32>
      %15 = cuda_tile.broadcast %14 : tile<1xi32> -> tile<8xi32>
      %r = cuda_tile.ori %i, %15 : tile<8xi32>
// r = i ^ i
      %r = cuda_tile.xori %i, %i : tile<8xi32>
// r = i << 1
      %14 = cuda_tile.constant <i32: 1> : tile<8xi32>
      %r = cuda_tile.shli %i, %14 : tile<8xi32>
// r = i >> n
      %14 = cuda_tile.reshape %n : tile<i32> -> tile<1xi32>
      %15 = cuda_tile.broadcast %14 : tile<1xi32> -> tile<8xi32>
      %r = cuda_tile.shri %i, %15 signed : tile<8xi32>
// r = -t
      %r = cuda_tile.negf %t : tile<4x8xf32>
// r = ~i
      %14 = cuda_tile.constant <i32: -1> : tile<i32>
      %15 = cuda_tile.reshape %14 : tile<i32> -> tile<1xi32>
      %16 = cuda_tile.broadcast %15 : tile<1xi32> -> tile<8xi32>
      %r = cuda_tile.xori %i, %16 : tile<8xi32>
// r = +t
// r = not n > 0
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %16 = cuda_tile.constant <i1: true> : tile<i1>
      %r = cuda_tile.xori %15, %16 : tile<i1>
// r = 0 < n < 3
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi less_than %14, %n, signed : tile<i32> -> tile<i1>
      %16 = cuda_tile.constant <i32: 3> : tile<i32>
      %17 = cuda_tile.cmpi less_than %n, %16, signed : tile<i32> -> tile<i1>
      %r = cuda_tile.andi %15, %17 : tile<i1>
// r = n == 2
      %14 = cuda_tile.constant <i32: 2> : tile<i32>
      %r = cuda_tile.cmpi equal %n, %14, signed : tile<i32> -> tile<i1>
// r = i != n
      %14 = cuda_tile.reshape %n : tile<i32> -> tile<1xi32>
      %15 = cuda_tile.broadcast %14 : tile<1xi32> -> tile<8xi32>
      %r = cuda_tile.cmpi not_equal %i, %15, signed : tile<8xi32> -> tile<8xi1>
// r = n > 0 and n < 5
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %16 = cuda_tile.constant <i32: 5> : tile<i32>
      %17 = cuda_tile.cmpi less_than %n, %16, signed : tile<i32> -> tile<i1>
      %r = cuda_tile.andi %15, %17 : tile<i1>
// r = n > 5 or n < 0
      %14 = cuda_tile.constant <i32: 5> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %16 = cuda_tile.constant <i32: 0> : tile<i32>
      %17 = cuda_tile.cmpi less_than %n, %16, signed : tile<i32> -> tile<i1>
      %r = cuda_tile.ori %15, %17 : tile<i1>
// r = None is None
// r = n in (1, 2)
      %14 = cuda_tile.constant <i32: 1> : tile<i32>
      %15 = cuda_tile.cmpi equal %n, %14, signed : tile<i32> -> tile<i1>
      %16 = cuda_tile.constant <i32: 2> : tile<i32>
      %17 = cuda_tile.cmpi equal %n, %16, signed : tile<i32> -> tile<i1>
      %r = cuda_tile.ori %15, %17 : tile<i1>
// r = n not in (1, 2)
      %14 = cuda_tile.constant <i32: 1> : tile<i32>
      %15 = cuda_tile.cmpi equal %n, %14, signed : tile<i32> -> tile<i1>
      %16 = cuda_tile.constant <i32: 2> : tile<i32>
      %17 = cuda_tile.cmpi equal %n, %16, signed : tile<i32> -> tile<i1>
      %18 = cuda_tile.ori %15, %17 : tile<i1>
      %19 = cuda_tile.constant <i1: true> : tile<i1>
      %r = cuda_tile.xori %18, %19 : tile<i1>
// r = t if n > 0 else t + 1
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %16 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %17 = cuda_tile.addf %t, %16 : tile<4x8xf32>
      %18 = cuda_tile.reshape %15 : tile<i1> -> tile<1x1xi1>
      %19 = cuda_tile.broadcast %18 : tile<1x1xi1> -> tile<4x8xi1>
      %r = cuda_tile.select %19, %t, %17 : tile<4x8xi1>, tile<4x8xf32>
// r = 1 if n > 0 else 2
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %16 = cuda_tile.constant <i32: 1> : tile<i32>
      %17 = cuda_tile.constant <i32: 2> : tile<i32>
      %r = cuda_tile.select %15, %16, %17 : tile<i1>, tile<i32>
// r = (n, 1) == (n, 2)
      %14 = cuda_tile.cmpi equal %n, %n, signed : tile<i32> -> tile<i1>
// r = tuple(k + n for k in (1, 2) if k > 1)
      %14 = cuda_tile.constant <i32: 2> : tile<i32>
      %15 = cuda_tile.addi %14, %n : tile<i32>
// r = t.shape == (4, 8)
// r = t.dtype is f32
// r = i8(n) + i
      %14 = cuda_tile.trunci %n : tile<i32> -> tile<i8>
      %15 = cuda_tile.exti %14 signed : tile<i8> -> tile<i32>
      %16 = cuda_tile.reshape %15 : tile<i32> -> tile<1xi32>
      %17 = cuda_tile.broadcast %16 : tile<1xi32> -> tile<8xi32>
      %r = cuda_tile.addi %17, %i : tile<8xi32>
// r = i + i8(n)
      %14 = cuda_tile.trunci %n : tile<i32> -> tile<i8>
      %15 = cuda_tile.exti %14 signed : tile<i8> -> tile<i32>
      %16 = cuda_tile.reshape %15 : tile<i32> -> tile<1xi32>
      %17 = cuda_tile.broadcast %16 : tile<1xi32> -> tile<8xi32>
      %r = cuda_tile.addi %i, %17 : tile<8xi32>
// r = i8(n) << i
      %14 = cuda_tile.trunci %n : tile<i32> -> tile<i8>
      %15 = cuda_tile.trunci %i : tile<8xi32> -> tile<8xi8>
      %16 = cuda_tile.reshape %14 : tile<i8> -> tile<1xi8>
      %17 = cuda_tile.broadcast %16 : tile<1xi8> -> tile<8xi8>
      %r = cuda_tile.shli %17, %15 : tile<8xi8>
// r = i << i8(n)
      %14 = cuda_tile.trunci %n : tile<i32> -> tile<i8>
      %15 = cuda_tile.exti %14 signed : tile<i8> -> tile<i32>
      %16 = cuda_tile.reshape %15 : tile<i32> -> tile<1xi32>
      %17 = cuda_tile.broadcast %16 : tile<1xi32> -> tile<8xi32>
      %r = cuda_tile.shli %i, %17 : tile<8xi32>
// r = n in (2, None, 1)
      %14 = cuda_tile.constant <i32: 2> : tile<i32>
      %15 = cuda_tile.cmpi equal %n, %14, signed : tile<i32> -> tile<i1>
      %16 = cuda_tile.constant <i32: 1> : tile<i32>
      %17 = cuda_tile.cmpi equal %n, %16, signed : tile<i32> -> tile<i1>
      %r = cuda_tile.ori %15, %17 : tile<i1>
// r = n not in (None, 1, n)
      %14 = cuda_tile.constant <i32: 1> : tile<i32>
      %15 = cuda_tile.cmpi equal %n, %14, signed : tile<i32> -> tile<i1>
      %16 = cuda_tile.cmpi equal %n, %n, signed : tile<i32> -> tile<i1>
      %17 = cuda_tile.ori %15, %16 : tile<i1>
      %18 = cuda_tile.constant <i1: true> : tile<i1>
      %r = cuda_tile.xori %17, %18 : tile<i1>
// r = z.load()
      %r = ownership.load %10 : !ownership.region<mut tile [4, 8], [M, N], f32> -> tile<4x8xf32>
// r = z.load() if n > 0 else t
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %r = cuda_tile.if %15 -> (tile<4x8xf32>) {
        %16 = ownership.load %10 : !ownership.region<mut tile [4, 8], [M, N], f32> -> tile<4x8xf32>
        cuda_tile.yield %16 : tile<4x8xf32>
      } else {
        cuda_tile.yield %t : tile<4x8xf32>
      }
// r = x.load((0, 0), (4, 8)) if n > 0 else t
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %16 = cuda_tile.constant <i32: 0> : tile<i32>
      %17 = cuda_tile.constant <i32: 0> : tile<i32>
      %18 = ownership.load %2[%16, %17] : !ownership.ref<[M, N], f32> -> tile<4x8xf32>
      %19 = cuda_tile.reshape %15 : tile<i1> -> tile<1x1xi1>
      %20 = cuda_tile.broadcast %19 : tile<1x1xi1> -> tile<4x8xi1>
      %r = cuda_tile.select %20, %18, %t : tile<4x8xi1>, tile<4x8xf32>
// r = z.tile[0]
// r = y.start[1]
      %14 = ownership.start %9, 0 : !ownership.region<out tile [4, 8], [M, N], f32>
      %r = ownership.start %9, 1 : !ownership.region<out tile [4, 8], [M, N], f32>
// r = z.stop[0]
      %r = ownership.stop %10, 0 : !ownership.region<mut tile [4, 8], [M, N], f32>
      %14 = ownership.stop %10, 1 : !ownership.region<mut tile [4, 8], [M, N], f32>
// r = z.at(n, 0).load()
      %10 = cuda_tile.constant <i32: 0> : tile<i32>
      %i = ownership.load %3[%10] : !ownership.ref<[N], i32> -> tile<8xi32>
      %11 = cuda_tile.bitcast %i : tile<8xi32> -> tile<8xf32>
      %q = cuda_tile.ftof %11 : tile<8xf32> -> tile<8xf8E5M2>
      %12 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %p = cuda_tile.cmpf greater_than ordered %t, %12 : tile<4x8xf32> -> tile<4x8xi1>
      %13 = cuda_tile.constant <i32: 0> : tile<i32>
      %14 = ownership.region %1[%n, %13] : !ownership.partition<mut tile [4, 8], [M, N], f32> -> !ownership.region<mut tile [4, 8], [M, N], f32>
      %r = ownership.load %14 : !ownership.region<mut tile [4, 8], [M, N], f32> -> tile<4x8xf32>
// r = fh.random_bits((1 << 64) - 1, i)
      %14 = cuda_tile.constant <i32: -1> : tile<i32>
      %15 = cuda_tile.constant <i32: -1> : tile<i32>
      %16 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %17 = cuda_tile.reshape %14 : tile<i32> -> tile<1xi32>
      %18 = cuda_tile.broadcast %17 : tile<1xi32> -> tile<8xi32>
      %19 = cuda_tile.reshape %15 : tile<i32> -> tile<1xi32>
      %20 = cuda_tile.broadcast %19 : tile<1xi32> -> tile<8xi32>
      %21 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %22 = cuda_tile.constant <i32: -766435501> : tile<8xi32>
      %23 = cuda_tile.constant <i32: -845247145> : tile<8xi32>
      %24 = cuda_tile.mulhii %22, %i : tile<8xi32>
      %25 = cuda_tile.muli %22, %i : tile<8xi32>
      %26 = cuda_tile.mulhii %23, %21 : tile<8xi32>
      %27 = cuda_tile.muli %23, %21 : tile<8xi32>
      %28 = cuda_tile.xori %26, %16 : tile<8xi32>
      %29 = cuda_tile.xori %28, %18 : tile<8xi32>
      %30 = cuda_tile.xori %24, %21 : tile<8xi32>
      %31 = cuda_tile.xori %30, %20 : tile<8xi32>
      %32 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %33 = cuda_tile.addi %18, %32 : tile<8xi32>
      %34 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %35 = cuda_tile.addi %20, %34 : tile<8xi32>
      %36 = cuda_tile.mulhii %22, %29 : tile<8xi32>
      %37 = cuda_tile.muli %22, %29 : tile<8xi32>
      %38 = cuda_tile.mulhii %23, %31 : tile<8xi32>
      %39 = cuda_tile.muli %23, %31 : tile<8xi32>
      %40 = cuda_tile.xori %38, %27 : tile<8xi32>
      %41 = cuda_tile.xori %40, %33 : tile<8xi32>
      %42 = cuda_tile.xori %36, %25 : tile<8xi32>
      %43 = cuda_tile.xori %42, %35 : tile<8xi32>
      %44 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %45 = cuda_tile.addi %33, %44 : tile<8xi32>
      %46 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %47 = cuda_tile.addi %35, %46 : tile<8xi32>
      %48 = cuda_tile.mulhii %22, %41 : tile<8xi32>
      %49 = cuda_tile.muli %22, %41 : tile<8xi32>
      %50 = cuda_tile.mulhii %23, %43 : tile<8xi32>
      %51 = cuda_tile.muli %23, %43 : tile<8xi32>
      %52 = cuda_tile.xori %50, %39 : tile<8xi32>
      %53 = cuda_tile.xori %52, %45 : tile<8xi32>
      %54 = cuda_tile.xori %48, %37 : tile<8xi32>
      %55 = cuda_tile.xori %54, %47 : tile<8xi32>
      %56 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %57 = cuda_tile.addi %45, %56 : tile<8xi32>
      %58 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %59 = cuda_tile.addi %47, %58 : tile<8xi32>
      %60 = cuda_tile.mulhii %22, %53 : tile<8xi32>
      %61 = cuda_tile.muli %22, %53 : tile<8xi32>
      %62 = cuda_tile.mulhii %23, %55 : tile<8xi32>
      %63 = cuda_tile.muli %23, %55 : tile<8xi32>
      %64 = cuda_tile.xori %62, %51 : tile<8xi32>
      %65 = cuda_tile.xori %64, %57 : tile<8xi32>
      %66 = cuda_tile.xori %60, %49 : tile<8xi32>
      %67 = cuda_tile.xori %66, %59 : tile<8xi32>
      %68 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %69 = cuda_tile.addi %57, %68 : tile<8xi32>
      %70 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %71 = cuda_tile.addi %59, %70 : tile<8xi32>
      %72 = cuda_tile.mulhii %22, %65 : tile<8xi32>
      %73 = cuda_tile.muli %22, %65 : tile<8xi32>
      %74 = cuda_tile.mulhii %23, %67 : tile<8xi32>
      %75 = cuda_tile.muli %23, %67 : tile<8xi32>
      %76 = cuda_tile.xori %74, %63 : tile<8xi32>
      %77 = cuda_tile.xori %76, %69 : tile<8xi32>
      %78 = cuda_tile.xori %72, %61 : tile<8xi32>
      %79 = cuda_tile.xori %78, %71 : tile<8xi32>
      %80 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %81 = cuda_tile.addi %69, %80 : tile<8xi32>
      %82 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %83 = cuda_tile.addi %71, %82 : tile<8xi32>
      %84 = cuda_tile.mulhii %22, %77 : tile<8xi32>
      %85 = cuda_tile.muli %22, %77 : tile<8xi32>
      %86 = cuda_tile.mulhii %23, %79 : tile<8xi32>
      %87 = cuda_tile.muli %23, %79 : tile<8xi32>
      %88 = cuda_tile.xori %86, %75 : tile<8xi32>
      %89 = cuda_tile.xori %88, %81 : tile<8xi32>
      %90 = cuda_tile.xori %84, %73 : tile<8xi32>
      %91 = cuda_tile.xori %90, %83 : tile<8xi32>
      %92 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %93 = cuda_tile.addi %81, %92 : tile<8xi32>
      %94 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %95 = cuda_tile.addi %83, %94 : tile<8xi32>
      %96 = cuda_tile.mulhii %22, %89 : tile<8xi32>
      %97 = cuda_tile.muli %22, %89 : tile<8xi32>
      %98 = cuda_tile.mulhii %23, %91 : tile<8xi32>
      %99 = cuda_tile.muli %23, %91 : tile<8xi32>
      %100 = cuda_tile.xori %98, %87 : tile<8xi32>
      %101 = cuda_tile.xori %100, %93 : tile<8xi32>
      %102 = cuda_tile.xori %96, %85 : tile<8xi32>
      %103 = cuda_tile.xori %102, %95 : tile<8xi32>
      %104 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %105 = cuda_tile.addi %93, %104 : tile<8xi32>
      %106 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %107 = cuda_tile.addi %95, %106 : tile<8xi32>
      %108 = cuda_tile.mulhii %22, %101 : tile<8xi32>
      %109 = cuda_tile.muli %22, %101 : tile<8xi32>
      %110 = cuda_tile.mulhii %23, %103 : tile<8xi32>
      %111 = cuda_tile.muli %23, %103 : tile<8xi32>
      %112 = cuda_tile.xori %110, %99 : tile<8xi32>
      %113 = cuda_tile.xori %112, %105 : tile<8xi32>
      %114 = cuda_tile.xori %108, %97 : tile<8xi32>
      %115 = cuda_tile.xori %114, %107 : tile<8xi32>
      %116 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %117 = cuda_tile.addi %105, %116 : tile<8xi32>
      %118 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %119 = cuda_tile.addi %107, %118 : tile<8xi32>
      %120 = cuda_tile.mulhii %22, %113 : tile<8xi32>
      %121 = cuda_tile.muli %22, %113 : tile<8xi32>
      %122 = cuda_tile.mulhii %23, %115 : tile<8xi32>
      %123 = cuda_tile.muli %23, %115 : tile<8xi32>
      %124 = cuda_tile.xori %122, %111 : tile<8xi32>
      %125 = cuda_tile.xori %124, %117 : tile<8xi32>
      %126 = cuda_tile.xori %120, %109 : tile<8xi32>
      %127 = cuda_tile.xori %126, %119 : tile<8xi32>
      %128 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %129 = cuda_tile.addi %117, %128 : tile<8xi32>
      %130 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %131 = cuda_tile.addi %119, %130 : tile<8xi32>
      %132 = cuda_tile.mulhii %22, %125 : tile<8xi32>
      %133 = cuda_tile.muli %22, %125 : tile<8xi32>
      %134 = cuda_tile.mulhii %23, %127 : tile<8xi32>
      %135 = cuda_tile.muli %23, %127 : tile<8xi32>
      %136 = cuda_tile.xori %134, %123 : tile<8xi32>
      %r = cuda_tile.xori %136, %129 : tile<8xi32>
      %137 = cuda_tile.xori %132, %121 : tile<8xi32>
      %138 = cuda_tile.xori %137, %131 : tile<8xi32>
// r = fh.random_bits(-(1 << 63), i)
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: -2147483648> : tile<i32>
      %16 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %17 = cuda_tile.reshape %14 : tile<i32> -> tile<1xi32>
      %18 = cuda_tile.broadcast %17 : tile<1xi32> -> tile<8xi32>
      %19 = cuda_tile.reshape %15 : tile<i32> -> tile<1xi32>
      %20 = cuda_tile.broadcast %19 : tile<1xi32> -> tile<8xi32>
      %21 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %22 = cuda_tile.constant <i32: -766435501> : tile<8xi32>
      %23 = cuda_tile.constant <i32: -845247145> : tile<8xi32>
      %24 = cuda_tile.mulhii %22, %i : tile<8xi32>
      %25 = cuda_tile.muli %22, %i : tile<8xi32>
      %26 = cuda_tile.mulhii %23, %21 : tile<8xi32>
      %27 = cuda_tile.muli %23, %21 : tile<8xi32>
      %28 = cuda_tile.xori %26, %16 : tile<8xi32>
      %29 = cuda_tile.xori %28, %18 : tile<8xi32>
      %30 = cuda_tile.xori %24, %21 : tile<8xi32>
      %31 = cuda_tile.xori %30, %20 : tile<8xi32>
      %32 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %33 = cuda_tile.addi %18, %32 : tile<8xi32>
      %34 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %35 = cuda_tile.addi %20, %34 : tile<8xi32>
      %36 = cuda_tile.mulhii %22, %29 : tile<8xi32>
      %37 = cuda_tile.muli %22, %29 : tile<8xi32>
      %38 = cuda_tile.mulhii %23, %31 : tile<8xi32>
      %39 = cuda_tile.muli %23, %31 : tile<8xi32>
      %40 = cuda_tile.xori %38, %27 : tile<8xi32>
      %41 = cuda_tile.xori %40, %33 : tile<8xi32>
      %42 = cuda_tile.xori %36, %25 : tile<8xi32>
      %43 = cuda_tile.xori %42, %35 : tile<8xi32>
      %44 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %45 = cuda_tile.addi %33, %44 : tile<8xi32>
      %46 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %47 = cuda_tile.addi %35, %46 : tile<8xi32>
      %48 = cuda_tile.mulhii %22, %41 : tile<8xi32>
      %49 = cuda_tile.muli %22, %41 : tile<8xi32>
      %50 = cuda_tile.mulhii %23, %43 : tile<8xi32>
      %51 = cuda_tile.muli %23, %43 : tile<8xi32>
      %52 = cuda_tile.xori %50, %39 : tile<8xi32>
      %53 = cuda_tile.xori %52, %45 : tile<8xi32>
      %54 = cuda_tile.xori %48, %37 : tile<8xi32>
      %55 = cuda_tile.xori %54, %47 : tile<8xi32>
      %56 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %57 = cuda_tile.addi %45, %56 : tile<8xi32>
      %58 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %59 = cuda_tile.addi %47, %58 : tile<8xi32>
      %60 = cuda_tile.mulhii %22, %53 : tile<8xi32>
      %61 = cuda_tile.muli %22, %53 : tile<8xi32>
      %62 = cuda_tile.mulhii %23, %55 : tile<8xi32>
      %63 = cuda_tile.muli %23, %55 : tile<8xi32>
      %64 = cuda_tile.xori %62, %51 : tile<8xi32>
      %65 = cuda_tile.xori %64, %57 : tile<8xi32>
      %66 = cuda_tile.xori %60, %49 : tile<8xi32>
      %67 = cuda_tile.xori %66, %59 : tile<8xi32>
      %68 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %69 = cuda_tile.addi %57, %68 : tile<8xi32>
      %70 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %71 = cuda_tile.addi %59, %70 : tile<8xi32>
      %72 = cuda_tile.mulhii %22, %65 : tile<8xi32>
      %73 = cuda_tile.muli %22, %65 : tile<8xi32>
      %74 = cuda_tile.mulhii %23, %67 : tile<8xi32>
      %75 = cuda_tile.muli %23, %67 : tile<8xi32>
      %76 = cuda_tile.xori %74, %63 : tile<8xi32>
      %77 = cuda_tile.xori %76, %69 : tile<8xi32>
      %78 = cuda_tile.xori %72, %61 : tile<8xi32>
      %79 = cuda_tile.xori %78, %71 : tile<8xi32>
      %80 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %81 = cuda_tile.addi %69, %80 : tile<8xi32>
      %82 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %83 = cuda_tile.addi %71, %82 : tile<8xi32>
      %84 = cuda_tile.mulhii %22, %77 : tile<8xi32>
      %85 = cuda_tile.muli %22, %77 : tile<8xi32>
      %86 = cuda_tile.mulhii %23, %79 : tile<8xi32>
      %87 = cuda_tile.muli %23, %79 : tile<8xi32>
      %88 = cuda_tile.xori %86, %75 : tile<8xi32>
      %89 = cuda_tile.xori %88, %81 : tile<8xi32>
      %90 = cuda_tile.xori %84, %73 : tile<8xi32>
      %91 = cuda_tile.xori %90, %83 : tile<8xi32>
      %92 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %93 = cuda_tile.addi %81, %92 : tile<8xi32>
      %94 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %95 = cuda_tile.addi %83, %94 : tile<8xi32>
      %96 = cuda_tile.mulhii %22, %89 : tile<8xi32>
      %97 = cuda_tile.muli %22, %89 : tile<8xi32>
      %98 = cuda_tile.mulhii %23, %91 : tile<8xi32>
      %99 = cuda_tile.muli %23, %91 : tile<8xi32>
      %100 = cuda_tile.xori %98, %87 : tile<8xi32>
      %101 = cuda_tile.xori %100, %93 : tile<8xi32>
      %102 = cuda_tile.xori %96, %85 : tile<8xi32>
      %103 = cuda_tile.xori %102, %95 : tile<8xi32>
      %104 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %105 = cuda_tile.addi %93, %104 : tile<8xi32>
      %106 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %107 = cuda_tile.addi %95, %106 : tile<8xi32>
      %108 = cuda_tile.mulhii %22, %101 : tile<8xi32>
      %109 = cuda_tile.muli %22, %101 : tile<8xi32>
      %110 = cuda_tile.mulhii %23, %103 : tile<8xi32>
      %111 = cuda_tile.muli %23, %103 : tile<8xi32>
      %112 = cuda_tile.xori %110, %99 : tile<8xi32>
      %113 = cuda_tile.xori %112, %105 : tile<8xi32>
      %114 = cuda_tile.xori %108, %97 : tile<8xi32>
      %115 = cuda_tile.xori %114, %107 : tile<8xi32>
      %116 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %117 = cuda_tile.addi %105, %116 : tile<8xi32>
      %118 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %119 = cuda_tile.addi %107, %118 : tile<8xi32>
      %120 = cuda_tile.mulhii %22, %113 : tile<8xi32>
      %121 = cuda_tile.muli %22, %113 : tile<8xi32>
      %122 = cuda_tile.mulhii %23, %115 : tile<8xi32>
      %123 = cuda_tile.muli %23, %115 : tile<8xi32>
      %124 = cuda_tile.xori %122, %111 : tile<8xi32>
      %125 = cuda_tile.xori %124, %117 : tile<8xi32>
      %126 = cuda_tile.xori %120, %109 : tile<8xi32>
      %127 = cuda_tile.xori %126, %119 : tile<8xi32>
      %128 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %129 = cuda_tile.addi %117, %128 : tile<8xi32>
      %130 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %131 = cuda_tile.addi %119, %130 : tile<8xi32>
      %132 = cuda_tile.mulhii %22, %125 : tile<8xi32>
      %133 = cuda_tile.muli %22, %125 : tile<8xi32>
      %134 = cuda_tile.mulhii %23, %127 : tile<8xi32>
      %135 = cuda_tile.muli %23, %127 : tile<8xi32>
      %136 = cuda_tile.xori %134, %123 : tile<8xi32>
      %r = cuda_tile.xori %136, %129 : tile<8xi32>
      %137 = cuda_tile.xori %132, %121 : tile<8xi32>
      %138 = cuda_tile.xori %137, %131 : tile<8xi32>
// r = fh.random_bits(1 << 32, i)
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 1> : tile<i32>
      %16 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %17 = cuda_tile.reshape %14 : tile<i32> -> tile<1xi32>
      %18 = cuda_tile.broadcast %17 : tile<1xi32> -> tile<8xi32>
      %19 = cuda_tile.reshape %15 : tile<i32> -> tile<1xi32>
      %20 = cuda_tile.broadcast %19 : tile<1xi32> -> tile<8xi32>
      %21 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %22 = cuda_tile.constant <i32: -766435501> : tile<8xi32>
      %23 = cuda_tile.constant <i32: -845247145> : tile<8xi32>
      %24 = cuda_tile.mulhii %22, %i : tile<8xi32>
      %25 = cuda_tile.muli %22, %i : tile<8xi32>
      %26 = cuda_tile.mulhii %23, %21 : tile<8xi32>
      %27 = cuda_tile.muli %23, %21 : tile<8xi32>
      %28 = cuda_tile.xori %26, %16 : tile<8xi32>
      %29 = cuda_tile.xori %28, %18 : tile<8xi32>
      %30 = cuda_tile.xori %24, %21 : tile<8xi32>
      %31 = cuda_tile.xori %30, %20 : tile<8xi32>
      %32 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %33 = cuda_tile.addi %18, %32 : tile<8xi32>
      %34 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %35 = cuda_tile.addi %20, %34 : tile<8xi32>
      %36 = cuda_tile.mulhii %22, %29 : tile<8xi32>
      %37 = cuda_tile.muli %22, %29 : tile<8xi32>
      %38 = cuda_tile.mulhii %23, %31 : tile<8xi32>
      %39 = cuda_tile.muli %23, %31 : tile<8xi32>
      %40 = cuda_tile.xori %38, %27 : tile<8xi32>
      %41 = cuda_tile.xori %40, %33 : tile<8xi32>
      %42 = cuda_tile.xori %36, %25 : tile<8xi32>
      %43 = cuda_tile.xori %42, %35 : tile<8xi32>
      %44 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %45 = cuda_tile.addi %33, %44 : tile<8xi32>
      %46 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %47 = cuda_tile.addi %35, %46 : tile<8xi32>
      %48 = cuda_tile.mulhii %22, %41 : tile<8xi32>
      %49 = cuda_tile.muli %22, %41 : tile<8xi32>
      %50 = cuda_tile.mulhii %23, %43 : tile<8xi32>
      %51 = cuda_tile.muli %23, %43 : tile<8xi32>
      %52 = cuda_tile.xori %50, %39 : tile<8xi32>
      %53 = cuda_tile.xori %52, %45 : tile<8xi32>
      %54 = cuda_tile.xori %48, %37 : tile<8xi32>
      %55 = cuda_tile.xori %54, %47 : tile<8xi32>
      %56 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %57 = cuda_tile.addi %45, %56 : tile<8xi32>
      %58 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %59 = cuda_tile.addi %47, %58 : tile<8xi32>
      %60 = cuda_tile.mulhii %22, %53 : tile<8xi32>
      %61 = cuda_tile.muli %22, %53 : tile<8xi32>
      %62 = cuda_tile.mulhii %23, %55 : tile<8xi32>
      %63 = cuda_tile.muli %23, %55 : tile<8xi32>
      %64 = cuda_tile.xori %62, %51 : tile<8xi32>
      %65 = cuda_tile.xori %64, %57 : tile<8xi32>
      %66 = cuda_tile.xori %60, %49 : tile<8xi32>
      %67 = cuda_tile.xori %66, %59 : tile<8xi32>
      %68 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %69 = cuda_tile.addi %57, %68 : tile<8xi32>
      %70 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %71 = cuda_tile.addi %59, %70 : tile<8xi32>
      %72 = cuda_tile.mulhii %22, %65 : tile<8xi32>
      %73 = cuda_tile.muli %22, %65 : tile<8xi32>
      %74 = cuda_tile.mulhii %23, %67 : tile<8xi32>
      %75 = cuda_tile.muli %23, %67 : tile<8xi32>
      %76 = cuda_tile.xori %74, %63 : tile<8xi32>
      %77 = cuda_tile.xori %76, %69 : tile<8xi32>
      %78 = cuda_tile.xori %72, %61 : tile<8xi32>
      %79 = cuda_tile.xori %78, %71 : tile<8xi32>
      %80 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %81 = cuda_tile.addi %69, %80 : tile<8xi32>
      %82 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %83 = cuda_tile.addi %71, %82 : tile<8xi32>
      %84 = cuda_tile.mulhii %22, %77 : tile<8xi32>
      %85 = cuda_tile.muli %22, %77 : tile<8xi32>
      %86 = cuda_tile.mulhii %23, %79 : tile<8xi32>
      %87 = cuda_tile.muli %23, %79 : tile<8xi32>
      %88 = cuda_tile.xori %86, %75 : tile<8xi32>
      %89 = cuda_tile.xori %88, %81 : tile<8xi32>
      %90 = cuda_tile.xori %84, %73 : tile<8xi32>
      %91 = cuda_tile.xori %90, %83 : tile<8xi32>
      %92 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %93 = cuda_tile.addi %81, %92 : tile<8xi32>
      %94 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %95 = cuda_tile.addi %83, %94 : tile<8xi32>
      %96 = cuda_tile.mulhii %22, %89 : tile<8xi32>
      %97 = cuda_tile.muli %22, %89 : tile<8xi32>
      %98 = cuda_tile.mulhii %23, %91 : tile<8xi32>
      %99 = cuda_tile.muli %23, %91 : tile<8xi32>
      %100 = cuda_tile.xori %98, %87 : tile<8xi32>
      %101 = cuda_tile.xori %100, %93 : tile<8xi32>
      %102 = cuda_tile.xori %96, %85 : tile<8xi32>
      %103 = cuda_tile.xori %102, %95 : tile<8xi32>
      %104 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %105 = cuda_tile.addi %93, %104 : tile<8xi32>
      %106 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %107 = cuda_tile.addi %95, %106 : tile<8xi32>
      %108 = cuda_tile.mulhii %22, %101 : tile<8xi32>
      %109 = cuda_tile.muli %22, %101 : tile<8xi32>
      %110 = cuda_tile.mulhii %23, %103 : tile<8xi32>
      %111 = cuda_tile.muli %23, %103 : tile<8xi32>
      %112 = cuda_tile.xori %110, %99 : tile<8xi32>
      %113 = cuda_tile.xori %112, %105 : tile<8xi32>
      %114 = cuda_tile.xori %108, %97 : tile<8xi32>
      %115 = cuda_tile.xori %114, %107 : tile<8xi32>
      %116 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %117 = cuda_tile.addi %105, %116 : tile<8xi32>
      %118 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %119 = cuda_tile.addi %107, %118 : tile<8xi32>
      %120 = cuda_tile.mulhii %22, %113 : tile<8xi32>
      %121 = cuda_tile.muli %22, %113 : tile<8xi32>
      %122 = cuda_tile.mulhii %23, %115 : tile<8xi32>
      %123 = cuda_tile.muli %23, %115 : tile<8xi32>
      %124 = cuda_tile.xori %122, %111 : tile<8xi32>
      %125 = cuda_tile.xori %124, %117 : tile<8xi32>
      %126 = cuda_tile.xori %120, %109 : tile<8xi32>
      %127 = cuda_tile.xori %126, %119 : tile<8xi32>
      %128 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %129 = cuda_tile.addi %117, %128 : tile<8xi32>
      %130 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %131 = cuda_tile.addi %119, %130 : tile<8xi32>
      %132 = cuda_tile.mulhii %22, %125 : tile<8xi32>
      %133 = cuda_tile.muli %22, %125 : tile<8xi32>
      %134 = cuda_tile.mulhii %23, %127 : tile<8xi32>
      %135 = cuda_tile.muli %23, %127 : tile<8xi32>
      %136 = cuda_tile.xori %134, %123 : tile<8xi32>
      %r = cuda_tile.xori %136, %129 : tile<8xi32>
      %137 = cuda_tile.xori %132, %121 : tile<8xi32>
      %138 = cuda_tile.xori %137, %131 : tile<8xi32>
// r = fh.random_bits((1 << 32) - 1, i)
      %14 = cuda_tile.constant <i32: -1> : tile<i32>
      %15 = cuda_tile.constant <i32: 0> : tile<i32>
      %16 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %17 = cuda_tile.reshape %14 : tile<i32> -> tile<1xi32>
      %18 = cuda_tile.broadcast %17 : tile<1xi32> -> tile<8xi32>
      %19 = cuda_tile.reshape %15 : tile<i32> -> tile<1xi32>
      %20 = cuda_tile.broadcast %19 : tile<1xi32> -> tile<8xi32>
      %21 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %22 = cuda_tile.constant <i32: -766435501> : tile<8xi32>
      %23 = cuda_tile.constant <i32: -845247145> : tile<8xi32>
      %24 = cuda_tile.mulhii %22, %i : tile<8xi32>
      %25 = cuda_tile.muli %22, %i : tile<8xi32>
      %26 = cuda_tile.mulhii %23, %21 : tile<8xi32>
      %27 = cuda_tile.muli %23, %21 : tile<8xi32>
      %28 = cuda_tile.xori %26, %16 : tile<8xi32>
      %29 = cuda_tile.xori %28, %18 : tile<8xi32>
      %30 = cuda_tile.xori %24, %21 : tile<8xi32>
      %31 = cuda_tile.xori %30, %20 : tile<8xi32>
      %32 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %33 = cuda_tile.addi %18, %32 : tile<8xi32>
      %34 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %35 = cuda_tile.addi %20, %34 : tile<8xi32>
      %36 = cuda_tile.mulhii %22, %29 : tile<8xi32>
      %37 = cuda_tile.muli %22, %29 : tile<8xi32>
      %38 = cuda_tile.mulhii %23, %31 : tile<8xi32>
      %39 = cuda_tile.muli %23, %31 : tile<8xi32>
      %40 = cuda_tile.xori %38, %27 : tile<8xi32>
      %41 = cuda_tile.xori %40, %33 : tile<8xi32>
      %42 = cuda_tile.xori %36, %25 : tile<8xi32>
      %43 = cuda_tile.xori %42, %35 : tile<8xi32>
      %44 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %45 = cuda_tile.addi %33, %44 : tile<8xi32>
      %46 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %47 = cuda_tile.addi %35, %46 : tile<8xi32>
      %48 = cuda_tile.mulhii %22, %41 : tile<8xi32>
      %49 = cuda_tile.muli %22, %41 : tile<8xi32>
      %50 = cuda_tile.mulhii %23, %43 : tile<8xi32>
      %51 = cuda_tile.muli %23, %43 : tile<8xi32>
      %52 = cuda_tile.xori %50, %39 : tile<8xi32>
      %53 = cuda_tile.xori %52, %45 : tile<8xi32>
      %54 = cuda_tile.xori %48, %37 : tile<8xi32>
      %55 = cuda_tile.xori %54, %47 : tile<8xi32>
      %56 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %57 = cuda_tile.addi %45, %56 : tile<8xi32>
      %58 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %59 = cuda_tile.addi %47, %58 : tile<8xi32>
      %60 = cuda_tile.mulhii %22, %53 : tile<8xi32>
      %61 = cuda_tile.muli %22, %53 : tile<8xi32>
      %62 = cuda_tile.mulhii %23, %55 : tile<8xi32>
      %63 = cuda_tile.muli %23, %55 : tile<8xi32>
      %64 = cuda_tile.xori %62, %51 : tile<8xi32>
      %65 = cuda_tile.xori %64, %57 : tile<8xi32>
      %66 = cuda_tile.xori %60, %49 : tile<8xi32>
      %67 = cuda_tile.xori %66, %59 : tile<8xi32>
      %68 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %69 = cuda_tile.addi %57, %68 : tile<8xi32>
      %70 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %71 = cuda_tile.addi %59, %70 : tile<8xi32>
      %72 = cuda_tile.mulhii %22, %65 : tile<8xi32>
      %73 = cuda_tile.muli %22, %65 : tile<8xi32>
      %74 = cuda_tile.mulhii %23, %67 : tile<8xi32>
      %75 = cuda_tile.muli %23, %67 : tile<8xi32>
      %76 = cuda_tile.xori %74, %63 : tile<8xi32>
      %77 = cuda_tile.xori %76, %69 : tile<8xi32>
      %78 = cuda_tile.xori %72, %61 : tile<8xi32>
      %79 = cuda_tile.xori %78, %71 : tile<8xi32>
      %80 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %81 = cuda_tile.addi %69, %80 : tile<8xi32>
      %82 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %83 = cuda_tile.addi %71, %82 : tile<8xi32>
      %84 = cuda_tile.mulhii %22, %77 : tile<8xi32>
      %85 = cuda_tile.muli %22, %77 : tile<8xi32>
      %86 = cuda_tile.mulhii %23, %79 : tile<8xi32>
      %87 = cuda_tile.muli %23, %79 : tile<8xi32>
      %88 = cuda_tile.xori %86, %75 : tile<8xi32>
      %89 = cuda_tile.xori %88, %81 : tile<8xi32>
      %90 = cuda_tile.xori %84, %73 : tile<8xi32>
      %91 = cuda_tile.xori %90, %83 : tile<8xi32>
      %92 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %93 = cuda_tile.addi %81, %92 : tile<8xi32>
      %94 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %95 = cuda_tile.addi %83, %94 : tile<8xi32>
      %96 = cuda_tile.mulhii %22, %89 : tile<8xi32>
      %97 = cuda_tile.muli %22, %89 : tile<8xi32>
      %98 = cuda_tile.mulhii %23, %91 : tile<8xi32>
      %99 = cuda_tile.muli %23, %91 : tile<8xi32>
      %100 = cuda_tile.xori %98, %87 : tile<8xi32>
      %101 = cuda_tile.xori %100, %93 : tile<8xi32>
      %102 = cuda_tile.xori %96, %85 : tile<8xi32>
      %103 = cuda_tile.xori %102, %95 : tile<8xi32>
      %104 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %105 = cuda_tile.addi %93, %104 : tile<8xi32>
      %106 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %107 = cuda_tile.addi %95, %106 : tile<8xi32>
      %108 = cuda_tile.mulhii %22, %101 : tile<8xi32>
      %109 = cuda_tile.muli %22, %101 : tile<8xi32>
      %110 = cuda_tile.mulhii %23, %103 : tile<8xi32>
      %111 = cuda_tile.muli %23, %103 : tile<8xi32>
      %112 = cuda_tile.xori %110, %99 : tile<8xi32>
      %113 = cuda_tile.xori %112, %105 : tile<8xi32>
      %114 = cuda_tile.xori %108, %97 : tile<8xi32>
      %115 = cuda_tile.xori %114, %107 : tile<8xi32>
      %116 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %117 = cuda_tile.addi %105, %116 : tile<8xi32>
      %118 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %119 = cuda_tile.addi %107, %118 : tile<8xi32>
      %120 = cuda_tile.mulhii %22, %113 : tile<8xi32>
      %121 = cuda_tile.muli %22, %113 : tile<8xi32>
      %122 = cuda_tile.mulhii %23, %115 : tile<8xi32>
      %123 = cuda_tile.muli %23, %115 : tile<8xi32>
      %124 = cuda_tile.xori %122, %111 : tile<8xi32>
      %125 = cuda_tile.xori %124, %117 : tile<8xi32>
      %126 = cuda_tile.xori %120, %109 : tile<8xi32>
      %127 = cuda_tile.xori %126, %119 : tile<8xi32>
      %128 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %129 = cuda_tile.addi %117, %128 : tile<8xi32>
      %130 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %131 = cuda_tile.addi %119, %130 : tile<8xi32>
      %132 = cuda_tile.mulhii %22, %125 : tile<8xi32>
      %133 = cuda_tile.muli %22, %125 : tile<8xi32>
      %134 = cuda_tile.mulhii %23, %127 : tile<8xi32>
      %135 = cuda_tile.muli %23, %127 : tile<8xi32>
      %136 = cuda_tile.xori %134, %123 : tile<8xi32>
      %r = cuda_tile.xori %136, %129 : tile<8xi32>
      %137 = cuda_tile.xori %132, %121 : tile<8xi32>
      %138 = cuda_tile.xori %137, %131 : tile<8xi32>
// r = fh.random_bits(-(1 << 31), i)
      %14 = cuda_tile.constant <i32: -2147483648> : tile<i32>
      %15 = cuda_tile.constant <i32: 0> : tile<i32>
      %16 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %17 = cuda_tile.reshape %14 : tile<i32> -> tile<1xi32>
      %18 = cuda_tile.broadcast %17 : tile<1xi32> -> tile<8xi32>
      %19 = cuda_tile.reshape %15 : tile<i32> -> tile<1xi32>
      %20 = cuda_tile.broadcast %19 : tile<1xi32> -> tile<8xi32>
      %21 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %22 = cuda_tile.constant <i32: -766435501> : tile<8xi32>
      %23 = cuda_tile.constant <i32: -845247145> : tile<8xi32>
      %24 = cuda_tile.mulhii %22, %i : tile<8xi32>
      %25 = cuda_tile.muli %22, %i : tile<8xi32>
      %26 = cuda_tile.mulhii %23, %21 : tile<8xi32>
      %27 = cuda_tile.muli %23, %21 : tile<8xi32>
      %28 = cuda_tile.xori %26, %16 : tile<8xi32>
      %29 = cuda_tile.xori %28, %18 : tile<8xi32>
      %30 = cuda_tile.xori %24, %21 : tile<8xi32>
      %31 = cuda_tile.xori %30, %20 : tile<8xi32>
      %32 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %33 = cuda_tile.addi %18, %32 : tile<8xi32>
      %34 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %35 = cuda_tile.addi %20, %34 : tile<8xi32>
      %36 = cuda_tile.mulhii %22, %29 : tile<8xi32>
      %37 = cuda_tile.muli %22, %29 : tile<8xi32>
      %38 = cuda_tile.mulhii %23, %31 : tile<8xi32>
      %39 = cuda_tile.muli %23, %31 : tile<8xi32>
      %40 = cuda_tile.xori %38, %27 : tile<8xi32>
      %41 = cuda_tile.xori %40, %33 : tile<8xi32>
      %42 = cuda_tile.xori %36, %25 : tile<8xi32>
      %43 = cuda_tile.xori %42, %35 : tile<8xi32>
      %44 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %45 = cuda_tile.addi %33, %44 : tile<8xi32>
      %46 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %47 = cuda_tile.addi %35, %46 : tile<8xi32>
      %48 = cuda_tile.mulhii %22, %41 : tile<8xi32>
      %49 = cuda_tile.muli %22, %41 : tile<8xi32>
      %50 = cuda_tile.mulhii %23, %43 : tile<8xi32>
      %51 = cuda_tile.muli %23, %43 : tile<8xi32>
      %52 = cuda_tile.xori %50, %39 : tile<8xi32>
      %53 = cuda_tile.xori %52, %45 : tile<8xi32>
      %54 = cuda_tile.xori %48, %37 : tile<8xi32>
      %55 = cuda_tile.xori %54, %47 : tile<8xi32>
      %56 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %57 = cuda_tile.addi %45, %56 : tile<8xi32>
      %58 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %59 = cuda_tile.addi %47, %58 : tile<8xi32>
      %60 = cuda_tile.mulhii %22, %53 : tile<8xi32>
      %61 = cuda_tile.muli %22, %53 : tile<8xi32>
      %62 = cuda_tile.mulhii %23, %55 : tile<8xi32>
      %63 = cuda_tile.muli %23, %55 : tile<8xi32>
      %64 = cuda_tile.xori %62, %51 : tile<8xi32>
      %65 = cuda_tile.xori %64, %57 : tile<8xi32>
      %66 = cuda_tile.xori %60, %49 : tile<8xi32>
      %67 = cuda_tile.xori %66, %59 : tile<8xi32>
      %68 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %69 = cuda_tile.addi %57, %68 : tile<8xi32>
      %70 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %71 = cuda_tile.addi %59, %70 : tile<8xi32>
      %72 = cuda_tile.mulhii %22, %65 : tile<8xi32>
      %73 = cuda_tile.muli %22, %65 : tile<8xi32>
      %74 = cuda_tile.mulhii %23, %67 : tile<8xi32>
      %75 = cuda_tile.muli %23, %67 : tile<8xi32>
      %76 = cuda_tile.xori %74, %63 : tile<8xi32>
      %77 = cuda_tile.xori %76, %69 : tile<8xi32>
      %78 = cuda_tile.xori %72, %61 : tile<8xi32>
      %79 = cuda_tile.xori %78, %71 : tile<8xi32>
      %80 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %81 = cuda_tile.addi %69, %80 : tile<8xi32>
      %82 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %83 = cuda_tile.addi %71, %82 : tile<8xi32>
      %84 = cuda_tile.mulhii %22, %77 : tile<8xi32>
      %85 = cuda_tile.muli %22, %77 : tile<8xi32>
      %86 = cuda_tile.mulhii %23, %79 : tile<8xi32>
      %87 = cuda_tile.muli %23, %79 : tile<8xi32>
      %88 = cuda_tile.xori %86, %75 : tile<8xi32>
      %89 = cuda_tile.xori %88, %81 : tile<8xi32>
      %90 = cuda_tile.xori %84, %73 : tile<8xi32>
      %91 = cuda_tile.xori %90, %83 : tile<8xi32>
      %92 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %93 = cuda_tile.addi %81, %92 : tile<8xi32>
      %94 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %95 = cuda_tile.addi %83, %94 : tile<8xi32>
      %96 = cuda_tile.mulhii %22, %89 : tile<8xi32>
      %97 = cuda_tile.muli %22, %89 : tile<8xi32>
      %98 = cuda_tile.mulhii %23, %91 : tile<8xi32>
      %99 = cuda_tile.muli %23, %91 : tile<8xi32>
      %100 = cuda_tile.xori %98, %87 : tile<8xi32>
      %101 = cuda_tile.xori %100, %93 : tile<8xi32>
      %102 = cuda_tile.xori %96, %85 : tile<8xi32>
      %103 = cuda_tile.xori %102, %95 : tile<8xi32>
      %104 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %105 = cuda_tile.addi %93, %104 : tile<8xi32>
      %106 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %107 = cuda_tile.addi %95, %106 : tile<8xi32>
      %108 = cuda_tile.mulhii %22, %101 : tile<8xi32>
      %109 = cuda_tile.muli %22, %101 : tile<8xi32>
      %110 = cuda_tile.mulhii %23, %103 : tile<8xi32>
      %111 = cuda_tile.muli %23, %103 : tile<8xi32>
      %112 = cuda_tile.xori %110, %99 : tile<8xi32>
      %113 = cuda_tile.xori %112, %105 : tile<8xi32>
      %114 = cuda_tile.xori %108, %97 : tile<8xi32>
      %115 = cuda_tile.xori %114, %107 : tile<8xi32>
      %116 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %117 = cuda_tile.addi %105, %116 : tile<8xi32>
      %118 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %119 = cuda_tile.addi %107, %118 : tile<8xi32>
      %120 = cuda_tile.mulhii %22, %113 : tile<8xi32>
      %121 = cuda_tile.muli %22, %113 : tile<8xi32>
      %122 = cuda_tile.mulhii %23, %115 : tile<8xi32>
      %123 = cuda_tile.muli %23, %115 : tile<8xi32>
      %124 = cuda_tile.xori %122, %111 : tile<8xi32>
      %125 = cuda_tile.xori %124, %117 : tile<8xi32>
      %126 = cuda_tile.xori %120, %109 : tile<8xi32>
      %127 = cuda_tile.xori %126, %119 : tile<8xi32>
      %128 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %129 = cuda_tile.addi %117, %128 : tile<8xi32>
      %130 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %131 = cuda_tile.addi %119, %130 : tile<8xi32>
      %132 = cuda_tile.mulhii %22, %125 : tile<8xi32>
      %133 = cuda_tile.muli %22, %125 : tile<8xi32>
      %134 = cuda_tile.mulhii %23, %127 : tile<8xi32>
      %135 = cuda_tile.muli %23, %127 : tile<8xi32>
      %136 = cuda_tile.xori %134, %123 : tile<8xi32>
      %r = cuda_tile.xori %136, %129 : tile<8xi32>
      %137 = cuda_tile.xori %132, %121 : tile<8xi32>
      %138 = cuda_tile.xori %137, %131 : tile<8xi32>
// r = fh.random_bits(-(1 << 31) - 1, i)
      %14 = cuda_tile.constant <i32: 2147483647> : tile<i32>
      %15 = cuda_tile.constant <i32: -1> : tile<i32>
      %16 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %17 = cuda_tile.reshape %14 : tile<i32> -> tile<1xi32>
      %18 = cuda_tile.broadcast %17 : tile<1xi32> -> tile<8xi32>
      %19 = cuda_tile.reshape %15 : tile<i32> -> tile<1xi32>
      %20 = cuda_tile.broadcast %19 : tile<1xi32> -> tile<8xi32>
      %21 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %22 = cuda_tile.constant <i32: -766435501> : tile<8xi32>
      %23 = cuda_tile.constant <i32: -845247145> : tile<8xi32>
      %24 = cuda_tile.mulhii %22, %i : tile<8xi32>
      %25 = cuda_tile.muli %22, %i : tile<8xi32>
      %26 = cuda_tile.mulhii %23, %21 : tile<8xi32>
      %27 = cuda_tile.muli %23, %21 : tile<8xi32>
      %28 = cuda_tile.xori %26, %16 : tile<8xi32>
      %29 = cuda_tile.xori %28, %18 : tile<8xi32>
      %30 = cuda_tile.xori %24, %21 : tile<8xi32>
      %31 = cuda_tile.xori %30, %20 : tile<8xi32>
      %32 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %33 = cuda_tile.addi %18, %32 : tile<8xi32>
      %34 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %35 = cuda_tile.addi %20, %34 : tile<8xi32>
      %36 = cuda_tile.mulhii %22, %29 : tile<8xi32>
      %37 = cuda_tile.muli %22, %29 : tile<8xi32>
      %38 = cuda_tile.mulhii %23, %31 : tile<8xi32>
      %39 = cuda_tile.muli %23, %31 : tile<8xi32>
      %40 = cuda_tile.xori %38, %27 : tile<8xi32>
      %41 = cuda_tile.xori %40, %33 : tile<8xi32>
      %42 = cuda_tile.xori %36, %25 : tile<8xi32>
      %43 = cuda_tile.xori %42, %35 : tile<8xi32>
      %44 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %45 = cuda_tile.addi %33, %44 : tile<8xi32>
      %46 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %47 = cuda_tile.addi %35, %46 : tile<8xi32>
      %48 = cuda_tile.mulhii %22, %41 : tile<8xi32>
      %49 = cuda_tile.muli %22, %41 : tile<8xi32>
      %50 = cuda_tile.mulhii %23, %43 : tile<8xi32>
      %51 = cuda_tile.muli %23, %43 : tile<8xi32>
      %52 = cuda_tile.xori %50, %39 : tile<8xi32>
      %53 = cuda_tile.xori %52, %45 : tile<8xi32>
      %54 = cuda_tile.xori %48, %37 : tile<8xi32>
      %55 = cuda_tile.xori %54, %47 : tile<8xi32>
      %56 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %57 = cuda_tile.addi %45, %56 : tile<8xi32>
      %58 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %59 = cuda_tile.addi %47, %58 : tile<8xi32>
      %60 = cuda_tile.mulhii %22, %53 : tile<8xi32>
      %61 = cuda_tile.muli %22, %53 : tile<8xi32>
      %62 = cuda_tile.mulhii %23, %55 : tile<8xi32>
      %63 = cuda_tile.muli %23, %55 : tile<8xi32>
      %64 = cuda_tile.xori %62, %51 : tile<8xi32>
      %65 = cuda_tile.xori %64, %57 : tile<8xi32>
      %66 = cuda_tile.xori %60, %49 : tile<8xi32>
      %67 = cuda_tile.xori %66, %59 : tile<8xi32>
      %68 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %69 = cuda_tile.addi %57, %68 : tile<8xi32>
      %70 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %71 = cuda_tile.addi %59, %70 : tile<8xi32>
      %72 = cuda_tile.mulhii %22, %65 : tile<8xi32>
      %73 = cuda_tile.muli %22, %65 : tile<8xi32>
      %74 = cuda_tile.mulhii %23, %67 : tile<8xi32>
      %75 = cuda_tile.muli %23, %67 : tile<8xi32>
      %76 = cuda_tile.xori %74, %63 : tile<8xi32>
      %77 = cuda_tile.xori %76, %69 : tile<8xi32>
      %78 = cuda_tile.xori %72, %61 : tile<8xi32>
      %79 = cuda_tile.xori %78, %71 : tile<8xi32>
      %80 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %81 = cuda_tile.addi %69, %80 : tile<8xi32>
      %82 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %83 = cuda_tile.addi %71, %82 : tile<8xi32>
      %84 = cuda_tile.mulhii %22, %77 : tile<8xi32>
      %85 = cuda_tile.muli %22, %77 : tile<8xi32>
      %86 = cuda_tile.mulhii %23, %79 : tile<8xi32>
      %87 = cuda_tile.muli %23, %79 : tile<8xi32>
      %88 = cuda_tile.xori %86, %75 : tile<8xi32>
      %89 = cuda_tile.xori %88, %81 : tile<8xi32>
      %90 = cuda_tile.xori %84, %73 : tile<8xi32>
      %91 = cuda_tile.xori %90, %83 : tile<8xi32>
      %92 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %93 = cuda_tile.addi %81, %92 : tile<8xi32>
      %94 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %95 = cuda_tile.addi %83, %94 : tile<8xi32>
      %96 = cuda_tile.mulhii %22, %89 : tile<8xi32>
      %97 = cuda_tile.muli %22, %89 : tile<8xi32>
      %98 = cuda_tile.mulhii %23, %91 : tile<8xi32>
      %99 = cuda_tile.muli %23, %91 : tile<8xi32>
      %100 = cuda_tile.xori %98, %87 : tile<8xi32>
      %101 = cuda_tile.xori %100, %93 : tile<8xi32>
      %102 = cuda_tile.xori %96, %85 : tile<8xi32>
      %103 = cuda_tile.xori %102, %95 : tile<8xi32>
      %104 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %105 = cuda_tile.addi %93, %104 : tile<8xi32>
      %106 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %107 = cuda_tile.addi %95, %106 : tile<8xi32>
      %108 = cuda_tile.mulhii %22, %101 : tile<8xi32>
      %109 = cuda_tile.muli %22, %101 : tile<8xi32>
      %110 = cuda_tile.mulhii %23, %103 : tile<8xi32>
      %111 = cuda_tile.muli %23, %103 : tile<8xi32>
      %112 = cuda_tile.xori %110, %99 : tile<8xi32>
      %113 = cuda_tile.xori %112, %105 : tile<8xi32>
      %114 = cuda_tile.xori %108, %97 : tile<8xi32>
      %115 = cuda_tile.xori %114, %107 : tile<8xi32>
      %116 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %117 = cuda_tile.addi %105, %116 : tile<8xi32>
      %118 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %119 = cuda_tile.addi %107, %118 : tile<8xi32>
      %120 = cuda_tile.mulhii %22, %113 : tile<8xi32>
      %121 = cuda_tile.muli %22, %113 : tile<8xi32>
      %122 = cuda_tile.mulhii %23, %115 : tile<8xi32>
      %123 = cuda_tile.muli %23, %115 : tile<8xi32>
      %124 = cuda_tile.xori %122, %111 : tile<8xi32>
      %125 = cuda_tile.xori %124, %117 : tile<8xi32>
      %126 = cuda_tile.xori %120, %109 : tile<8xi32>
      %127 = cuda_tile.xori %126, %119 : tile<8xi32>
      %128 = cuda_tile.constant <i32: -1640531527> : tile<8xi32>
      %129 = cuda_tile.addi %117, %128 : tile<8xi32>
      %130 = cuda_tile.constant <i32: -1150833019> : tile<8xi32>
      %131 = cuda_tile.addi %119, %130 : tile<8xi32>
      %132 = cuda_tile.mulhii %22, %125 : tile<8xi32>
      %133 = cuda_tile.muli %22, %125 : tile<8xi32>
      %134 = cuda_tile.mulhii %23, %127 : tile<8xi32>
      %135 = cuda_tile.muli %23, %127 : tile<8xi32>
      %136 = cuda_tile.xori %134, %123 : tile<8xi32>
      %r = cuda_tile.xori %136, %129 : tile<8xi32>
      %137 = cuda_tile.xori %132, %121 : tile<8xi32>
      %138 = cuda_tile.xori %137, %131 : tile<8xi32>
// b.bitwise_and_at(i, i, mask=i > 0)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      ownership.accumulate_at <and> %i, %5[%i] mask %15 : tile<8xi1> : tile<8xi32>, !ownership.acc<[N], i32>, (tile<8xi32>)
// b.bitwise_or_at(i, i, mask=i > 0)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      ownership.accumulate_at <or> %i, %5[%i] mask %15 : tile<8xi1> : tile<8xi32>, !ownership.acc<[N], i32>, (tile<8xi32>)
// b.bitwise_xor_at(i, i, mask=i > 0)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      ownership.accumulate_at <xor> %i, %5[%i] mask %15 : tile<8xi1> : tile<8xi32>, !ownership.acc<[N], i32>, (tile<8xi32>)
// b.maximum_at(i, i, mask=i > 0)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      ownership.accumulate_at <max> %i, %5[%i] mask %15 : tile<8xi1> : tile<8xi32>, !ownership.acc<[N], i32>, (tile<8xi32>)
// b.minimum_at(i, i, mask=i > 0)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      ownership.accumulate_at <min> %i, %5[%i] mask %15 : tile<8xi1> : tile<8xi32>, !ownership.acc<[N], i32>, (tile<8xi32>)
// b.at(n).bitwise_and(i)
      ownership.accumulate <and> %i, %5[%n] : tile<8xi32>, !ownership.acc<[N], i32>
// b.at(n).bitwise_or(i)
      ownership.accumulate <or> %i, %5[%n] : tile<8xi32>, !ownership.acc<[N], i32>
// b.at(n).bitwise_xor(i)
      ownership.accumulate <xor> %i, %5[%n] : tile<8xi32>, !ownership.acc<[N], i32>
// b.at(n).maximum(i)
      ownership.accumulate <max> %i, %5[%n] : tile<8xi32>, !ownership.acc<[N], i32>
// b.at(n).minimum(i)
      ownership.accumulate <min> %i, %5[%n] : tile<8xi32>, !ownership.acc<[N], i32>
// b.add_at(1, i)
      %14 = cuda_tile.constant <i32: 1> : tile<i32>
      %15 = cuda_tile.reshape %14 : tile<i32> -> tile<1xi32>
      %16 = cuda_tile.broadcast %15 : tile<1xi32> -> tile<8xi32>
      ownership.accumulate_at <add> %16, %5[%i] : tile<8xi32>, !ownership.acc<[N], i32>, (tile<8xi32>)
// s.add_at(t, fh.arange(8), mask=p)
      %14 = cuda_tile.iota : tile<8xi32>
      %15 = cuda_tile.reshape %14 : tile<8xi32> -> tile<1x8xi32>
      ownership.accumulate_at <add> %t, %4[%15] mask %p : tile<4x8xi1> : tile<4x8xf32>, !ownership.acc<[N], f32>, (tile<1x8xi32>)
// b.at(n).add(i)
      ownership.accumulate <add> %i, %5[%n] : tile<8xi32>, !ownership.acc<[N], i32>
// with fh.unsafe('why'): w.atomic_add(i, i, mask=i > 0)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      %16 = ownership.unsafe_update "why" %i, %6[%i] mask %15 : tile<8xi1> {ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>, mode = #cuda_tile.atomic_rmw_mode<add>} : tile<8xi32>, !ownership.raw<[1], i32>, (tile<8xi32>) -> tile<8xi32>
// with fh.unsafe('why'): w.atomic_max(i, i, mask=i > 0)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      %16 = ownership.unsafe_update "why" %i, %6[%i] mask %15 : tile<8xi1> {ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>, mode = #cuda_tile.atomic_rmw_mode<max>} : tile<8xi32>, !ownership.raw<[1], i32>, (tile<8xi32>) -> tile<8xi32>
// with fh.unsafe('why'): w.atomic_min(i, i, mask=i > 0)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      %16 = ownership.unsafe_update "why" %i, %6[%i] mask %15 : tile<8xi1> {ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>, mode = #cuda_tile.atomic_rmw_mode<min>} : tile<8xi32>, !ownership.raw<[1], i32>, (tile<8xi32>) -> tile<8xi32>
// with fh.unsafe('why'): w.atomic_and(i, i, mask=i > 0)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      %16 = ownership.unsafe_update "why" %i, %6[%i] mask %15 : tile<8xi1> {ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>, mode = #cuda_tile.atomic_rmw_mode<and>} : tile<8xi32>, !ownership.raw<[1], i32>, (tile<8xi32>) -> tile<8xi32>
// with fh.unsafe('why'): w.atomic_or(i, i, mask=i > 0)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      %16 = ownership.unsafe_update "why" %i, %6[%i] mask %15 : tile<8xi1> {ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>, mode = #cuda_tile.atomic_rmw_mode<or>} : tile<8xi32>, !ownership.raw<[1], i32>, (tile<8xi32>) -> tile<8xi32>
// with fh.unsafe('why'): w.atomic_xor(i, i, mask=i > 0)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      %16 = ownership.unsafe_update "why" %i, %6[%i] mask %15 : tile<8xi1> {ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>, mode = #cuda_tile.atomic_rmw_mode<xor>} : tile<8xi32>, !ownership.raw<[1], i32>, (tile<8xi32>) -> tile<8xi32>
// with fh.unsafe('why'): w.atomic_exchange(i, i, mask=i > 0)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      %16 = ownership.unsafe_update "why" %i, %6[%i] mask %15 : tile<8xi1> {ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>, mode = #cuda_tile.atomic_rmw_mode<xchg>} : tile<8xi32>, !ownership.raw<[1], i32>, (tile<8xi32>) -> tile<8xi32>
// with fh.unsafe('why'): w.gather(i, mask=i > 0, padding=3)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      %16 = ownership.unsafe_load "why" %6[%i] mask %15 : tile<8xi1> {ordering = #cuda_tile.memory_ordering_semantics<weak>, padding_value = #cuda_tile.dense<i32: 3, tile<i32>>} : !ownership.raw<[1], i32>, (tile<8xi32>) -> tile<8xi32>
// with fh.unsafe('why'): w.atomic_cas(i, i, i, mask=i > 0)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      %16 = ownership.unsafe_swap "why" %i, %i, %6[%i] mask %15 : tile<8xi1> {ordering = #cuda_tile.memory_ordering_semantics<relaxed>, scope = #cuda_tile.memory_scope<device>} : tile<8xi32>, tile<8xi32>, !ownership.raw<[1], i32>, (tile<8xi32>) -> tile<8xi32>
// with fh.unsafe('why'): w.scatter(i, i, mask=i > 0)
      %14 = cuda_tile.constant <i32: 0> : tile<8xi32>
      %15 = cuda_tile.cmpi greater_than %i, %14, signed : tile<8xi32> -> tile<8xi1>
      ownership.unsafe_store "why" %i, %6[%i] mask %15 : tile<8xi1> {ordering = #cuda_tile.memory_ordering_semantics<weak>} : tile<8xi32>, !ownership.raw<[1], i32>, (tile<8xi32>)
// fh.print(n, t, sep=' ', end='')
      %14 = cuda_tile.print_tko "%d %g", %n, %t : tile<i32>, tile<4x8xf32> -> token
// fh.print('n', n)
      %14 = cuda_tile.print_tko "n %d\0A", %n : tile<i32> -> token
// fh.assert_(n > 0, 'positive')
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      ownership.check %15, "positive" values %n : tile<i1>(tile<i32>) {names = ["n"], dtypes = ["i32"]}
// fh.static_assert(1 < 2, 'less')
// for k in range(0, n, 2): t += k
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 2> : tile<i32>
      %t_1 = cuda_tile.for %k in (%14 to %n, step %15) : tile<i32> iter_values(%t_2 = %t) -> (tile<4x8xf32>) {
        %16 = cuda_tile.itof %k signed : tile<i32> -> tile<f32>
        %17 = cuda_tile.reshape %16 : tile<f32> -> tile<1x1xf32>
        %18 = cuda_tile.broadcast %17 : tile<1x1xf32> -> tile<4x8xf32>
        %t_3 = cuda_tile.addf %t_2, %18 : tile<4x8xf32>
        cuda_tile.continue %t_3 : tile<4x8xf32>
      }
// for k in fh.static_range(0, 4, 2): t += k
      %14 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %t_1 = cuda_tile.addf %t, %14 : tile<4x8xf32>
      %15 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
      %t_2 = cuda_tile.addf %t_1, %15 : tile<4x8xf32>
// while n > 5: n -= 1
      %n_1 = cuda_tile.loop iter_values(%n_2 = %n) : tile<i32> -> tile<i32> {
        %14 = cuda_tile.constant <i32: 5> : tile<i32>
        %15 = cuda_tile.cmpi greater_than %n_2, %14, signed : tile<i32> -> tile<i1>
        cuda_tile.if %15 {
        } else {
          cuda_tile.break %n_2 : tile<i32>
        }
        %16 = cuda_tile.constant <i32: 1> : tile<i32>
        %n_3 = cuda_tile.subi %n_2, %16 : tile<i32>
        cuda_tile.continue %n_3 : tile<i32>
      }
// for k in fh.tiles(x, axis=1, size=8, start=0, step=8): t += x.load((0, k), (4, 8))
      %14 = ownership.tiles %2, 1 by 8 : !ownership.ref<[M, N], f32>
      %15 = cuda_tile.constant <i32: 0> : tile<i32>
      %16 = cuda_tile.constant <i32: 8> : tile<i32>
      %t_1 = cuda_tile.for %k in (%15 to %14, step %16) : tile<i32> iter_values(%t_2 = %t) -> (tile<4x8xf32>) {
        %17 = cuda_tile.constant <i32: 0> : tile<i32>
        %18 = ownership.load %2[%17, %k] : !ownership.ref<[M, N], f32> -> tile<4x8xf32>
        %t_3 = cuda_tile.addf %t_2, %18 : tile<4x8xf32>
        cuda_tile.continue %t_3 : tile<4x8xf32>
      }
// for k, l in ((n, t), (1, 2)): r = k
// for k in (n, 1): r = k
// for k, l in enumerate((n, t), 1): r = l
// if n > 0: t = t + n
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %t_1 = cuda_tile.if %15 -> (tile<4x8xf32>) {
        %16 = cuda_tile.itof %n signed : tile<i32> -> tile<f32>
        %17 = cuda_tile.reshape %16 : tile<f32> -> tile<1x1xf32>
        %18 = cuda_tile.broadcast %17 : tile<1x1xf32> -> tile<4x8xf32>
        %t_2 = cuda_tile.addf %t, %18 : tile<4x8xf32>
        cuda_tile.yield %t_2 : tile<4x8xf32>
      } else {
        cuda_tile.yield %t : tile<4x8xf32>
      }
// r = t; r += n
      %14 = cuda_tile.itof %n signed : tile<i32> -> tile<f32>
      %15 = cuda_tile.reshape %14 : tile<f32> -> tile<1x1xf32>
      %16 = cuda_tile.broadcast %15 : tile<1x1xf32> -> tile<4x8xf32>
      %r = cuda_tile.addf %t, %16 : tile<4x8xf32>
// r, *k = (n, t, 1)
// r = k = n
// r = x.window(0, 2, 4)
    %7 = cuda_tile.constant <i32: 2> : tile<i32>
    %x_1 = ownership.window %x[%7] {axis = #builtin.int<0>} : !ownership.tensor<[M, N], f32> -> !ownership.tensor<[4, N], f32>
    %8 = ownership.borrow %x_1 : !ownership.tensor<[4, N], f32> -> !ownership.ref<[4, N], f32>
    ^bb0(%9: tile<i32>, %10: tile<i32>):
      %11 = ownership.region %0[%9, %10] : !ownership.partition<out tile [4, 8], [M, N], f32> -> !ownership.region<out tile [4, 8], [M, N], f32>
      %12 = ownership.region %1[%9, %10] : !ownership.partition<mut tile [4, 8], [M, N], f32> -> !ownership.region<mut tile [4, 8], [M, N], f32>
      %t = ownership.load %2[%9, %10] : !ownership.ref<[M, N], f32> -> tile<4x8xf32>
      %13 = cuda_tile.constant <i32: 0> : tile<i32>
      %i = ownership.load %3[%13] : !ownership.ref<[N], i32> -> tile<8xi32>
      %14 = cuda_tile.bitcast %i : tile<8xi32> -> tile<8xf32>
      %q = cuda_tile.ftof %14 : tile<8xf32> -> tile<8xf8E5M2>
      %15 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %p = cuda_tile.cmpf greater_than ordered %t, %15 : tile<4x8xf32> -> tile<4x8xi1>
// t = y.at(n, 0).load()
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = ownership.region %0[%n, %14] : !ownership.partition<out tile [4, 8], [M, N], f32> -> !ownership.region<out tile [4, 8], [M, N], f32>
      %t_1 = ownership.load %15 : !ownership.region<out tile [4, 8], [M, N], f32> -> tile<4x8xf32>
// for k in range(n):
//     if k > 3:
//         for l in range(2):
//             if l > k: break
//         break
//     t = t + 1
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 1> : tile<i32>
      %t_1 = cuda_tile.loop iter_values(%k = %14, %t_2 = %t) : tile<i32>, tile<4x8xf32> -> tile<4x8xf32> {
        %16 = cuda_tile.cmpi less_than %k, %n, signed : tile<i32> -> tile<i1>
        cuda_tile.if %16 {
        } else {
          cuda_tile.break %t_2 : tile<4x8xf32>
        }
        %17 = cuda_tile.constant <i32: 3> : tile<i32>
        %18 = cuda_tile.cmpi greater_than %k, %17, signed : tile<i32> -> tile<i1>
        cuda_tile.if %18 {
          %19 = cuda_tile.constant <i32: 0> : tile<i32>
          %20 = cuda_tile.constant <i32: 2> : tile<i32>
          %21 = cuda_tile.constant <i32: 1> : tile<i32>
          cuda_tile.loop iter_values(%l = %19) : tile<i32> {
            %22 = cuda_tile.cmpi less_than %l, %20, signed : tile<i32> -> tile<i1>
            cuda_tile.if %22 {
            } else {
              cuda_tile.break
            }
            %23 = cuda_tile.cmpi greater_than %l, %k, signed : tile<i32> -> tile<i1>
            cuda_tile.if %23 {
              cuda_tile.break
            } else {
            }
            %24 = cuda_tile.addi %l, %21 : tile<i32>
            cuda_tile.continue %24 : tile<i32>
          }
          cuda_tile.break %t_2 : tile<4x8xf32>
        } else {
        }
        %25 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
        %t_3 = cuda_tile.addf %t_2, %25 : tile<4x8xf32>
        %26 = cuda_tile.addi %k, %15 : tile<i32>
        cuda_tile.continue %26, %t_3 : tile<i32>, tile<4x8xf32>
      }
// for k in (1, 2, 3):
//     if n > k: break
//     t = t + k
      %14 = cuda_tile.constant <i32: 1> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %16, %t_1 = cuda_tile.if %15 -> (tile<i1>, tile<4x8xf32>) {
        %17 = cuda_tile.constant <i1: true> : tile<i1>
        cuda_tile.yield %17, %t : tile<i1>, tile<4x8xf32>
      } else {
        %18 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
        %t_2 = cuda_tile.addf %t, %18 : tile<4x8xf32>
        %19 = cuda_tile.constant <i1: false> : tile<i1>
        cuda_tile.yield %19, %t_2 : tile<i1>, tile<4x8xf32>
      }
      %20, %t_3 = cuda_tile.if %16 -> (tile<i1>, tile<4x8xf32>) {
        cuda_tile.yield %16, %t_1 : tile<i1>, tile<4x8xf32>
      } else {
        %21 = cuda_tile.constant <i32: 2> : tile<i32>
        %22 = cuda_tile.cmpi greater_than %n, %21, signed : tile<i32> -> tile<i1>
        %23, %t_4 = cuda_tile.if %22 -> (tile<i1>, tile<4x8xf32>) {
          %24 = cuda_tile.constant <i1: true> : tile<i1>
          cuda_tile.yield %24, %t_1 : tile<i1>, tile<4x8xf32>
        } else {
          %25 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
          %t_5 = cuda_tile.addf %t_1, %25 : tile<4x8xf32>
          cuda_tile.yield %16, %t_5 : tile<i1>, tile<4x8xf32>
        }
        cuda_tile.yield %23, %t_4 : tile<i1>, tile<4x8xf32>
      }
      %26, %t_6 = cuda_tile.if %20 -> (tile<i1>, tile<4x8xf32>) {
        cuda_tile.yield %20, %t_3 : tile<i1>, tile<4x8xf32>
      } else {
        %27 = cuda_tile.constant <i32: 3> : tile<i32>
        %28 = cuda_tile.cmpi greater_than %n, %27, signed : tile<i32> -> tile<i1>
        %29, %t_7 = cuda_tile.if %28 -> (tile<i1>, tile<4x8xf32>) {
          %30 = cuda_tile.constant <i1: true> : tile<i1>
          cuda_tile.yield %30, %t_3 : tile<i1>, tile<4x8xf32>
        } else {
          %31 = cuda_tile.constant <f32: 3.000000e+00> : tile<4x8xf32>
          %t_8 = cuda_tile.addf %t_3, %31 : tile<4x8xf32>
          cuda_tile.yield %20, %t_8 : tile<i1>, tile<4x8xf32>
        }
        cuda_tile.yield %29, %t_7 : tile<i1>, tile<4x8xf32>
      }
// u = 2
// for k in range(n):
//     u = 2
//     t = t + u
// t = t * u
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 1> : tile<i32>
      %16 = cuda_tile.constant <i32: 2> : tile<i32>
      %u, %t_1 = cuda_tile.for %k in (%14 to %n, step %15) : tile<i32> iter_values(%u_1 = %16, %t_2 = %t) -> (tile<i32>, tile<4x8xf32>) {
        %17 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
        %t_3 = cuda_tile.addf %t_2, %17 : tile<4x8xf32>
        %18 = cuda_tile.constant <i32: 2> : tile<i32>
        cuda_tile.continue %18, %t_3 : tile<i32>, tile<4x8xf32>
      }
      %19 = cuda_tile.itof %u signed : tile<i32> -> tile<f32>
      %20 = cuda_tile.reshape %19 : tile<f32> -> tile<1x1xf32>
      %21 = cuda_tile.broadcast %20 : tile<1x1xf32> -> tile<4x8xf32>
      %t_4 = cuda_tile.mulf %t_1, %21 : tile<4x8xf32>
// u = f32
// for k in range(n):
//     u = f32
//     if k > 2: break
// t = t.astype(u)
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 1> : tile<i32>
      cuda_tile.loop iter_values(%k = %14) : tile<i32> {
        %16 = cuda_tile.cmpi less_than %k, %n, signed : tile<i32> -> tile<i1>
        cuda_tile.if %16 {
        } else {
          cuda_tile.break
        }
        %17 = cuda_tile.constant <i32: 2> : tile<i32>
        %18 = cuda_tile.cmpi greater_than %k, %17, signed : tile<i32> -> tile<i1>
        cuda_tile.if %18 {
          cuda_tile.break
        } else {
        }
        %19 = cuda_tile.addi %k, %15 : tile<i32>
        cuda_tile.continue %19 : tile<i32>
      }
// for k in range(n):
//     t = t + k
//     if k > 3: break
//     t = t * 2
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 1> : tile<i32>
      %t_1 = cuda_tile.loop iter_values(%k = %14, %t_2 = %t) : tile<i32>, tile<4x8xf32> -> tile<4x8xf32> {
        %16 = cuda_tile.cmpi less_than %k, %n, signed : tile<i32> -> tile<i1>
        cuda_tile.if %16 {
        } else {
          cuda_tile.break %t_2 : tile<4x8xf32>
        }
        %17 = cuda_tile.itof %k signed : tile<i32> -> tile<f32>
        %18 = cuda_tile.reshape %17 : tile<f32> -> tile<1x1xf32>
        %19 = cuda_tile.broadcast %18 : tile<1x1xf32> -> tile<4x8xf32>
        %t_3 = cuda_tile.addf %t_2, %19 : tile<4x8xf32>
        %20 = cuda_tile.constant <i32: 3> : tile<i32>
        %21 = cuda_tile.cmpi greater_than %k, %20, signed : tile<i32> -> tile<i1>
        cuda_tile.if %21 {
          cuda_tile.break %t_3 : tile<4x8xf32>
        } else {
        }
        %22 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
        %t_4 = cuda_tile.mulf %t_3, %22 : tile<4x8xf32>
        %23 = cuda_tile.addi %k, %15 : tile<i32>
        cuda_tile.continue %23, %t_4 : tile<i32>, tile<4x8xf32>
      }
// for k in range(0, n, 2):
//     if k == 2: continue
//     t = t + 1
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 2> : tile<i32>
      %t_1 = cuda_tile.for %k in (%14 to %n, step %15) : tile<i32> iter_values(%t_2 = %t) -> (tile<4x8xf32>) {
        %16 = cuda_tile.constant <i32: 2> : tile<i32>
        %17 = cuda_tile.cmpi equal %k, %16, signed : tile<i32> -> tile<i1>
        cuda_tile.if %17 {
          cuda_tile.continue %t_2 : tile<4x8xf32>
        } else {
        }
        %18 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
        %t_3 = cuda_tile.addf %t_2, %18 : tile<4x8xf32>
        cuda_tile.continue %t_3 : tile<4x8xf32>
      }
// for k in range(n, 0, -1):
//     t = t * 0.5 + k
      %14 = cuda_tile.constant <i32: -1> : tile<i32>
      %15 = cuda_tile.subi %14, %n : tile<i32>
      %16 = cuda_tile.constant <i32: -1> : tile<i32>
      %17 = cuda_tile.constant <i32: 1> : tile<i32>
      %t_1 = cuda_tile.for %18 in (%15 to %16, step %17) : tile<i32> iter_values(%t_2 = %t) -> (tile<4x8xf32>) {
        %19 = cuda_tile.constant <i32: -1> : tile<i32>
        %k = cuda_tile.subi %19, %18 : tile<i32>
        %20 = cuda_tile.constant <f32: 5.000000e-01> : tile<4x8xf32>
        %21 = cuda_tile.mulf %t_2, %20 : tile<4x8xf32>
        %22 = cuda_tile.itof %k signed : tile<i32> -> tile<f32>
        %23 = cuda_tile.reshape %22 : tile<f32> -> tile<1x1xf32>
        %24 = cuda_tile.broadcast %23 : tile<1x1xf32> -> tile<4x8xf32>
        %t_3 = cuda_tile.addf %21, %24 : tile<4x8xf32>
        cuda_tile.continue %t_3 : tile<4x8xf32>
      }
// for k in reversed(fh.tiles(x, axis=1, size=8)): t = t + x.load((0, k), (4, 8))
      %14 = ownership.tiles %2, 1 by 8 : !ownership.ref<[M, N], f32>
      %15 = cuda_tile.constant <i32: 0> : tile<i32>
      %16 = cuda_tile.constant <i32: 1> : tile<i32>
      %t_1 = cuda_tile.for %17 in (%15 to %14, step %16) : tile<i32> iter_values(%t_2 = %t) -> (tile<4x8xf32>) {
        %18 = cuda_tile.constant <i32: 1> : tile<i32>
        %19 = cuda_tile.subi %14, %18 : tile<i32>
        %k = cuda_tile.subi %19, %17 : tile<i32>
        %20 = cuda_tile.constant <i32: 0> : tile<i32>
        %21 = ownership.load %2[%20, %k] : !ownership.ref<[M, N], f32> -> tile<4x8xf32>
        %t_3 = cuda_tile.addf %t_2, %21 : tile<4x8xf32>
        cuda_tile.continue %t_3 : tile<4x8xf32>
      }
// for k in fh.tiles(x, axis=1, size=8):
//     for l in range(k):
//         t = t + l
//         if l > n: break
      %14 = ownership.tiles %2, 1 by 8 : !ownership.ref<[M, N], f32>
      %15 = cuda_tile.constant <i32: 0> : tile<i32>
      %16 = cuda_tile.constant <i32: 1> : tile<i32>
      %t_1 = cuda_tile.for %k in (%15 to %14, step %16) : tile<i32> iter_values(%t_2 = %t) -> (tile<4x8xf32>) {
        %17 = cuda_tile.constant <i32: 0> : tile<i32>
        %18 = cuda_tile.constant <i32: 1> : tile<i32>
        %t_3 = cuda_tile.loop iter_values(%l = %17, %t_4 = %t_2) : tile<i32>, tile<4x8xf32> -> tile<4x8xf32> {
          %19 = cuda_tile.cmpi less_than %l, %k, signed : tile<i32> -> tile<i1>
          cuda_tile.if %19 {
          } else {
            cuda_tile.break %t_4 : tile<4x8xf32>
          }
          %20 = cuda_tile.itof %l signed : tile<i32> -> tile<f32>
          %21 = cuda_tile.reshape %20 : tile<f32> -> tile<1x1xf32>
          %22 = cuda_tile.broadcast %21 : tile<1x1xf32> -> tile<4x8xf32>
          %t_5 = cuda_tile.addf %t_4, %22 : tile<4x8xf32>
          %23 = cuda_tile.cmpi greater_than %l, %n, signed : tile<i32> -> tile<i1>
          cuda_tile.if %23 {
            cuda_tile.break %t_5 : tile<4x8xf32>
          } else {
          }
          %24 = cuda_tile.addi %l, %18 : tile<i32>
          cuda_tile.continue %24, %t_5 : tile<i32>, tile<4x8xf32>
        }
        cuda_tile.continue %t_3 : tile<4x8xf32>
      }
// k, u = 0, t
// while k < n:
//     k += 1
//     if k == 7: continue
//     u = u * 2
// t = u + k
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %k, %u = cuda_tile.loop iter_values(%k_1 = %14, %u_1 = %t) : tile<i32>, tile<4x8xf32> -> tile<i32>, tile<4x8xf32> {
        %15 = cuda_tile.cmpi less_than %k_1, %n, signed : tile<i32> -> tile<i1>
        cuda_tile.if %15 {
        } else {
          cuda_tile.break %k_1, %u_1 : tile<i32>, tile<4x8xf32>
        }
        %16 = cuda_tile.constant <i32: 1> : tile<i32>
        %k_2 = cuda_tile.addi %k_1, %16 : tile<i32>
        %17 = cuda_tile.constant <i32: 7> : tile<i32>
        %18 = cuda_tile.cmpi equal %k_2, %17, signed : tile<i32> -> tile<i1>
        cuda_tile.if %18 {
          cuda_tile.continue %k_2, %u_1 : tile<i32>, tile<4x8xf32>
        } else {
        }
        %19 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
        %u_2 = cuda_tile.mulf %u_1, %19 : tile<4x8xf32>
        cuda_tile.continue %k_2, %u_2 : tile<i32>, tile<4x8xf32>
      }
      %20 = cuda_tile.itof %k signed : tile<i32> -> tile<f32>
      %21 = cuda_tile.reshape %20 : tile<f32> -> tile<1x1xf32>
      %22 = cuda_tile.broadcast %21 : tile<1x1xf32> -> tile<4x8xf32>
      %t_1 = cuda_tile.addf %u, %22 : tile<4x8xf32>
// while True:
//     t = t + 1
//     if fh.sum(t) > n: break
      %t_1 = cuda_tile.loop iter_values(%t_2 = %t) : tile<4x8xf32> -> tile<4x8xf32> {
        %14 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
        %t_3 = cuda_tile.addf %t_2, %14 : tile<4x8xf32>
        %15 = cuda_tile.reduce %t_3 dim=1 identities=[0.000000e+00 : f32] : tile<4x8xf32> -> tile<4xf32>
        (%16: tile<f32>, %17: tile<f32>) {
          %18 = cuda_tile.addf %16, %17 : tile<f32>
          cuda_tile.yield %18 : tile<f32>
        }
        %19 = cuda_tile.reduce %15 dim=0 identities=[0.000000e+00 : f32] : tile<4xf32> -> tile<f32>
        (%20: tile<f32>, %21: tile<f32>) {
          %22 = cuda_tile.addf %20, %21 : tile<f32>
          cuda_tile.yield %22 : tile<f32>
        }
        %23 = cuda_tile.itof %n signed : tile<i32> -> tile<f32>
        %24 = cuda_tile.cmpf greater_than ordered %19, %23 : tile<f32> -> tile<i1>
        cuda_tile.if %24 {
          cuda_tile.break %t_3 : tile<4x8xf32>
        } else {
        }
        cuda_tile.continue %t_3 : tile<4x8xf32>
      }
// if n > 0: u, k = t + 1, 2
// else: u, k = t * 2, 3
// t = u * k
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %u, %k = cuda_tile.if %15 -> (tile<4x8xf32>, tile<i32>) {
        %16 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
        %u_1 = cuda_tile.addf %t, %16 : tile<4x8xf32>
        %17 = cuda_tile.constant <i32: 2> : tile<i32>
        cuda_tile.yield %u_1, %17 : tile<4x8xf32>, tile<i32>
      } else {
        %18 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
        %u_2 = cuda_tile.mulf %t, %18 : tile<4x8xf32>
        %19 = cuda_tile.constant <i32: 3> : tile<i32>
        cuda_tile.yield %u_2, %19 : tile<4x8xf32>, tile<i32>
      }
      %20 = cuda_tile.itof %k signed : tile<i32> -> tile<f32>
      %21 = cuda_tile.reshape %20 : tile<f32> -> tile<1x1xf32>
      %22 = cuda_tile.broadcast %21 : tile<1x1xf32> -> tile<4x8xf32>
      %t_1 = cuda_tile.mulf %u, %22 : tile<4x8xf32>
// if n > 0: t = t + 1
// elif n < -3: t = t * 2
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %t_1 = cuda_tile.if %15 -> (tile<4x8xf32>) {
        %16 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
        %t_2 = cuda_tile.addf %t, %16 : tile<4x8xf32>
        cuda_tile.yield %t_2 : tile<4x8xf32>
      } else {
        %17 = cuda_tile.constant <i32: -3> : tile<i32>
        %18 = cuda_tile.cmpi less_than %n, %17, signed : tile<i32> -> tile<i1>
        %t_3 = cuda_tile.if %18 -> (tile<4x8xf32>) {
          %19 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
          %t_4 = cuda_tile.mulf %t, %19 : tile<4x8xf32>
          cuda_tile.yield %t_4 : tile<4x8xf32>
        } else {
          cuda_tile.yield %t : tile<4x8xf32>
        }
        cuda_tile.yield %t_3 : tile<4x8xf32>
      }
// if n > 0 and n < 9 or n == -1: t = -t
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %16 = cuda_tile.constant <i32: 9> : tile<i32>
      %17 = cuda_tile.cmpi less_than %n, %16, signed : tile<i32> -> tile<i1>
      %18 = cuda_tile.andi %15, %17 : tile<i1>
      %19 = cuda_tile.constant <i32: -1> : tile<i32>
      %20 = cuda_tile.cmpi equal %n, %19, signed : tile<i32> -> tile<i1>
      %21 = cuda_tile.ori %18, %20 : tile<i1>
      %t_1 = cuda_tile.if %21 -> (tile<4x8xf32>) {
        %t_2 = cuda_tile.negf %t : tile<4x8xf32>
        cuda_tile.yield %t_2 : tile<4x8xf32>
      } else {
        cuda_tile.yield %t : tile<4x8xf32>
      }
// pair = (t, 1)
// for k in range(n): pair = (pair[0] + k, pair[1])
// t = pair[0] + pair[1]
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 1> : tile<i32>
      %pair = cuda_tile.for %k in (%14 to %n, step %15) : tile<i32> iter_values(%pair_1 = %t) -> (tile<4x8xf32>) {
        %16 = cuda_tile.itof %k signed : tile<i32> -> tile<f32>
        %17 = cuda_tile.reshape %16 : tile<f32> -> tile<1x1xf32>
        %18 = cuda_tile.broadcast %17 : tile<1x1xf32> -> tile<4x8xf32>
        %19 = cuda_tile.addf %pair_1, %18 : tile<4x8xf32>
        cuda_tile.continue %19 : tile<4x8xf32>
      }
      %20 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %t_1 = cuda_tile.addf %pair, %20 : tile<4x8xf32>
// q = Pair(t, n)
// if n > 1: q = Pair(t * 2, n + 1)
// t = q.x + q.y
      %14 = cuda_tile.constant <i32: 1> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %16, %17 = cuda_tile.if %15 -> (tile<4x8xf32>, tile<i32>) {
        %18 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
        %19 = cuda_tile.mulf %t, %18 : tile<4x8xf32>
        %20 = cuda_tile.constant <i32: 1> : tile<i32>
        %21 = cuda_tile.addi %n, %20 : tile<i32>
        cuda_tile.yield %19, %21 : tile<4x8xf32>, tile<i32>
      } else {
        cuda_tile.yield %t, %n : tile<4x8xf32>, tile<i32>
      }
      %22 = cuda_tile.itof %17 signed : tile<i32> -> tile<f32>
      %23 = cuda_tile.reshape %22 : tile<f32> -> tile<1x1xf32>
      %24 = cuda_tile.broadcast %23 : tile<1x1xf32> -> tile<4x8xf32>
      %t_1 = cuda_tile.addf %16, %24 : tile<4x8xf32>
// while True:
//     with fh.unsafe('why'):
//         if n > 0: break
//     t = t + 1
      %t_1 = cuda_tile.loop iter_values(%t_2 = %t) : tile<4x8xf32> -> tile<4x8xf32> {
        %14 = cuda_tile.constant <i32: 0> : tile<i32>
        %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
        cuda_tile.if %15 {
          cuda_tile.break %t_2 : tile<4x8xf32>
        } else {
        }
        %16 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
        %t_3 = cuda_tile.addf %t_2, %16 : tile<4x8xf32>
        cuda_tile.continue %t_3 : tile<4x8xf32>
      }
// u = 2
// for k in range(n): u = t
// t = u
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 1> : tile<i32>
      %16 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
      %u = cuda_tile.for %k in (%14 to %n, step %15) : tile<i32> iter_values(%u_1 = %16) -> (tile<4x8xf32>) {
        cuda_tile.continue %t : tile<4x8xf32>
      }
// best = -math.inf
// for k in range(n): best = fh.maximum(best, t.max() + k)
// t = t - best
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 1> : tile<i32>
      %16 = cuda_tile.constant <f32: 0xFF800000> : tile<f32>
      %best = cuda_tile.for %k in (%14 to %n, step %15) : tile<i32> iter_values(%best_1 = %16) -> (tile<f32>) {
        %17 = cuda_tile.reduce %t dim=1 identities=[0xFF800000 : f32] : tile<4x8xf32> -> tile<4xf32>
        (%18: tile<f32>, %19: tile<f32>) {
          %20 = cuda_tile.maxf %18, %19 propagate_nan : tile<f32>
          cuda_tile.yield %20 : tile<f32>
        }
        %21 = cuda_tile.reduce %17 dim=0 identities=[0xFF800000 : f32] : tile<4xf32> -> tile<f32>
        (%22: tile<f32>, %23: tile<f32>) {
          %24 = cuda_tile.maxf %22, %23 propagate_nan : tile<f32>
          cuda_tile.yield %24 : tile<f32>
        }
        %25 = cuda_tile.itof %k signed : tile<i32> -> tile<f32>
        %26 = cuda_tile.addf %21, %25 : tile<f32>
        %best_2 = cuda_tile.maxf %best_1, %26 propagate_nan : tile<f32>
        cuda_tile.continue %best_2 : tile<f32>
      }
      %27 = cuda_tile.reshape %best : tile<f32> -> tile<1x1xf32>
      %28 = cuda_tile.broadcast %27 : tile<1x1xf32> -> tile<4x8xf32>
      %t_1 = cuda_tile.subf %t, %28 : tile<4x8xf32>
// total = 0.0
// for k in range(n): total += 1.5
// t = t * total
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 1> : tile<i32>
      %16 = cuda_tile.constant <f32: 0.000000e+00> : tile<f32>
      %total = cuda_tile.for %k in (%14 to %n, step %15) : tile<i32> iter_values(%total_1 = %16) -> (tile<f32>) {
        %17 = cuda_tile.constant <f32: 1.500000e+00> : tile<f32>
        %total_2 = cuda_tile.addf %total_1, %17 : tile<f32>
        cuda_tile.continue %total_2 : tile<f32>
      }
      %18 = cuda_tile.reshape %total : tile<f32> -> tile<1x1xf32>
      %19 = cuda_tile.broadcast %18 : tile<1x1xf32> -> tile<4x8xf32>
      %t_1 = cuda_tile.mulf %t, %19 : tile<4x8xf32>
// count = 0
// for k in range(n):
//     if k % 2 == 0: count += 1
// t = t + count
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 1> : tile<i32>
      %16 = cuda_tile.constant <i32: 0> : tile<i32>
      %count = cuda_tile.for %k in (%14 to %n, step %15) : tile<i32> iter_values(%count_1 = %16) -> (tile<i32>) {
        %17 = cuda_tile.constant <i32: 2> : tile<i32>
        %18 = cuda_tile.divi %k, %17 signed rounding<negative_inf> : tile<i32>
        %19 = cuda_tile.muli %18, %17 : tile<i32>
        %20 = cuda_tile.subi %k, %19 : tile<i32>
        %21 = cuda_tile.constant <i32: 0> : tile<i32>
        %22 = cuda_tile.cmpi equal %20, %21, signed : tile<i32> -> tile<i1>
        %count_2 = cuda_tile.if %22 -> (tile<i32>) {
          %23 = cuda_tile.constant <i32: 1> : tile<i32>
          %count_3 = cuda_tile.addi %count_1, %23 : tile<i32>
          cuda_tile.yield %count_3 : tile<i32>
        } else {
          cuda_tile.yield %count_1 : tile<i32>
        }
        cuda_tile.continue %count_2 : tile<i32>
      }
      %24 = cuda_tile.itof %count signed : tile<i32> -> tile<f32>
      %25 = cuda_tile.reshape %24 : tile<f32> -> tile<1x1xf32>
      %26 = cuda_tile.broadcast %25 : tile<1x1xf32> -> tile<4x8xf32>
      %t_1 = cuda_tile.addf %t, %26 : tile<4x8xf32>
// match n:
//     case 0: t = t + 1
//     case 1 | 2: t = t + 2
//     case _: t = t * 3
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi equal %n, %14, signed : tile<i32> -> tile<i1>
      %t_1 = cuda_tile.if %15 -> (tile<4x8xf32>) {
        %16 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
        %t_2 = cuda_tile.addf %t, %16 : tile<4x8xf32>
        cuda_tile.yield %t_2 : tile<4x8xf32>
      } else {
        %17 = cuda_tile.constant <i32: 1> : tile<i32>
        %18 = cuda_tile.cmpi equal %n, %17, signed : tile<i32> -> tile<i1>
        %19 = cuda_tile.constant <i32: 2> : tile<i32>
        %20 = cuda_tile.cmpi equal %n, %19, signed : tile<i32> -> tile<i1>
        %21 = cuda_tile.ori %18, %20 : tile<i1>
        %t_3 = cuda_tile.if %21 -> (tile<4x8xf32>) {
          %22 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
          %t_4 = cuda_tile.addf %t, %22 : tile<4x8xf32>
          cuda_tile.yield %t_4 : tile<4x8xf32>
        } else {
          %23 = cuda_tile.constant <f32: 3.000000e+00> : tile<4x8xf32>
          %t_5 = cuda_tile.mulf %t, %23 : tile<4x8xf32>
          cuda_tile.yield %t_5 : tile<4x8xf32>
        }
        cuda_tile.yield %t_3 : tile<4x8xf32>
      }
// def leave(u, m):
//     if m > 3: return u
//     for k in range(m):
//         if k > 1: return u * k
//     return -u
// t = leave(t, n)
      %14 = cuda_tile.constant <i32: 3> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      %t_1 = cuda_tile.if %15 -> (tile<4x8xf32>) {
        cuda_tile.yield %t : tile<4x8xf32>
      } else {
        %16 = cuda_tile.constant <i32: 0> : tile<i32>
        %17 = cuda_tile.constant <i32: 1> : tile<i32>
        %18 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
        %19 = cuda_tile.constant <i1: false> : tile<i1>
        %result$, %returned$9.8 = cuda_tile.loop iter_values(%k = %16, %result$_1 = %18, %returned$9.8_1 = %19) : tile<i32>, tile<4x8xf32>, tile<i1> -> tile<4x8xf32>, tile<i1> {
          %20 = cuda_tile.cmpi less_than %k, %n, signed : tile<i32> -> tile<i1>
          cuda_tile.if %20 {
          } else {
            cuda_tile.break %result$_1, %returned$9.8_1 : tile<4x8xf32>, tile<i1>
          }
          %21 = cuda_tile.constant <i32: 1> : tile<i32>
          %22 = cuda_tile.cmpi greater_than %k, %21, signed : tile<i32> -> tile<i1>
          cuda_tile.if %22 {
            %23 = cuda_tile.itof %k signed : tile<i32> -> tile<f32>
            %24 = cuda_tile.reshape %23 : tile<f32> -> tile<1x1xf32>
            %25 = cuda_tile.broadcast %24 : tile<1x1xf32> -> tile<4x8xf32>
            %26 = cuda_tile.mulf %t, %25 : tile<4x8xf32>
            %27 = cuda_tile.constant <i1: true> : tile<i1>
            cuda_tile.break %26, %27 : tile<4x8xf32>, tile<i1>
          } else {
          }
          %28 = cuda_tile.addi %k, %17 : tile<i32>
          cuda_tile.continue %28, %result$_1, %returned$9.8_1 : tile<i32>, tile<4x8xf32>, tile<i1>
        }
        %29 = cuda_tile.if %returned$9.8 -> (tile<4x8xf32>) {
          cuda_tile.yield %result$ : tile<4x8xf32>
        } else {
          %30 = cuda_tile.negf %t : tile<4x8xf32>
          cuda_tile.yield %30 : tile<4x8xf32>
        }
        cuda_tile.yield %29 : tile<4x8xf32>
      }
// def many(u, k, *, scale=2): return u * scale + k
// t = many(t, n) + many(k=1, u=t, scale=3)
      %14 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
      %15 = cuda_tile.mulf %t, %14 : tile<4x8xf32>
      %16 = cuda_tile.itof %n signed : tile<i32> -> tile<f32>
      %17 = cuda_tile.reshape %16 : tile<f32> -> tile<1x1xf32>
      %18 = cuda_tile.broadcast %17 : tile<1x1xf32> -> tile<4x8xf32>
      %19 = cuda_tile.addf %15, %18 : tile<4x8xf32>
      %20 = cuda_tile.constant <f32: 3.000000e+00> : tile<4x8xf32>
      %21 = cuda_tile.mulf %t, %20 : tile<4x8xf32>
      %22 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %23 = cuda_tile.addf %21, %22 : tile<4x8xf32>
      %t_1 = cuda_tile.addf %19, %23 : tile<4x8xf32>
// a, (b_, *c_) = (n, (t, 1, 2))
// t = b_ * a + c_[1]
      %14 = cuda_tile.itof %n signed : tile<i32> -> tile<f32>
      %15 = cuda_tile.reshape %14 : tile<f32> -> tile<1x1xf32>
      %16 = cuda_tile.broadcast %15 : tile<1x1xf32> -> tile<4x8xf32>
      %17 = cuda_tile.mulf %t, %16 : tile<4x8xf32>
      %18 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
      %t_1 = cuda_tile.addf %17, %18 : tile<4x8xf32>
// t = sum(tuple(t * k for k in range(3) if k != 1))
      %14 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %15 = cuda_tile.mulf %t, %14 : tile<4x8xf32>
      %16 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
      %17 = cuda_tile.mulf %t, %16 : tile<4x8xf32>
      %18 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %19 = cuda_tile.addf %18, %15 : tile<4x8xf32>
      %t_1 = cuda_tile.addf %19, %17 : tile<4x8xf32>
// for k, u in zip((1, 2, 3), (t, t + 1, t + 2)): t = t + u * k
      %14 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %u = cuda_tile.addf %t, %14 : tile<4x8xf32>
      %15 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
      %u_1 = cuda_tile.addf %t, %15 : tile<4x8xf32>
      %16 = cuda_tile.constant <f32: 1.000000e+00> : tile<4x8xf32>
      %17 = cuda_tile.mulf %t, %16 : tile<4x8xf32>
      %t_1 = cuda_tile.addf %t, %17 : tile<4x8xf32>
      %18 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
      %19 = cuda_tile.mulf %u, %18 : tile<4x8xf32>
      %t_2 = cuda_tile.addf %t_1, %19 : tile<4x8xf32>
      %20 = cuda_tile.constant <f32: 3.000000e+00> : tile<4x8xf32>
      %21 = cuda_tile.mulf %u_1, %20 : tile<4x8xf32>
      %t_3 = cuda_tile.addf %t_2, %21 : tile<4x8xf32>
// for k in (n, 2, t[0, 0]): t = t + k
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 0> : tile<i32>
      %16 = cuda_tile.extract %t[%14, %15] : tile<4x8xf32> -> tile<1x1xf32>
      %k = cuda_tile.reshape %16 : tile<1x1xf32> -> tile<f32>
      %17 = cuda_tile.itof %n signed : tile<i32> -> tile<f32>
      %18 = cuda_tile.reshape %17 : tile<f32> -> tile<1x1xf32>
      %19 = cuda_tile.broadcast %18 : tile<1x1xf32> -> tile<4x8xf32>
      %t_1 = cuda_tile.addf %t, %19 : tile<4x8xf32>
      %20 = cuda_tile.constant <f32: 2.000000e+00> : tile<4x8xf32>
      %t_2 = cuda_tile.addf %t_1, %20 : tile<4x8xf32>
      %21 = cuda_tile.reshape %k : tile<f32> -> tile<1x1xf32>
      %22 = cuda_tile.broadcast %21 : tile<1x1xf32> -> tile<4x8xf32>
      %t_3 = cuda_tile.addf %t_2, %22 : tile<4x8xf32>
// t = fh.where(t > 0, t if n > 0 else -t, 0)
      %14 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %15 = cuda_tile.cmpf greater_than ordered %t, %14 : tile<4x8xf32> -> tile<4x8xi1>
      %16 = cuda_tile.constant <i32: 0> : tile<i32>
      %17 = cuda_tile.cmpi greater_than %n, %16, signed : tile<i32> -> tile<i1>
      %18 = cuda_tile.negf %t : tile<4x8xf32>
      %19 = cuda_tile.reshape %17 : tile<i1> -> tile<1x1xi1>
      %20 = cuda_tile.broadcast %19 : tile<1x1xi1> -> tile<4x8xi1>
      %21 = cuda_tile.select %20, %t, %18 : tile<4x8xi1>, tile<4x8xf32>
      %22 = cuda_tile.constant <f32: 0.000000e+00> : tile<4x8xf32>
      %t_1 = cuda_tile.select %15, %21, %22 : tile<4x8xi1>, tile<4x8xf32>
// fh.assert_(n > 0, 'n is positive')
// fh.require(x.shape[0] > 1)
// t = t + x.shape[1]
    ownership.require "1 < M"
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.cmpi greater_than %n, %14, signed : tile<i32> -> tile<i1>
      ownership.check %15, "n is positive" values %n : tile<i1>(tile<i32>) {names = ["n"], dtypes = ["i32"]}
      %16 = ownership.dim %2, 0 : !ownership.ref<[M, N], f32>
      %17 = ownership.dim %2, 1 : !ownership.ref<[M, N], f32>
      %18 = cuda_tile.constant <i32: 1> : tile<i32>
      %19 = cuda_tile.cmpi greater_than %16, %18, signed : tile<i32> -> tile<i1>
      %20 = ownership.dim %2, 0 : !ownership.ref<[M, N], f32>
      %21 = ownership.dim %2, 1 : !ownership.ref<[M, N], f32>
      %22 = ownership.dim %2, 0 : !ownership.ref<[M, N], f32>
      %23 = ownership.dim %2, 1 : !ownership.ref<[M, N], f32>
      %24 = cuda_tile.itof %23 signed : tile<i32> -> tile<f32>
      %25 = cuda_tile.reshape %24 : tile<f32> -> tile<1x1xf32>
      %26 = cuda_tile.broadcast %25 : tile<1x1xf32> -> tile<4x8xf32>
      %t_1 = cuda_tile.addf %t, %26 : tile<4x8xf32>
// u = x.load((0, 0), (2, 2))
// t = t + u.sum() if n > 0 else t
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 0> : tile<i32>
      %u = ownership.load %2[%14, %15] : !ownership.ref<[M, N], f32> -> tile<2x2xf32>
      %16 = cuda_tile.constant <i32: 0> : tile<i32>
      %17 = cuda_tile.cmpi greater_than %n, %16, signed : tile<i32> -> tile<i1>
      %t_1 = cuda_tile.if %17 -> (tile<4x8xf32>) {
        %18 = cuda_tile.reduce %u dim=1 identities=[0.000000e+00 : f32] : tile<2x2xf32> -> tile<2xf32>
        (%19: tile<f32>, %20: tile<f32>) {
          %21 = cuda_tile.addf %19, %20 : tile<f32>
          cuda_tile.yield %21 : tile<f32>
        }
        %22 = cuda_tile.reduce %18 dim=0 identities=[0.000000e+00 : f32] : tile<2xf32> -> tile<f32>
        (%23: tile<f32>, %24: tile<f32>) {
          %25 = cuda_tile.addf %23, %24 : tile<f32>
          cuda_tile.yield %25 : tile<f32>
        }
        %26 = cuda_tile.reshape %22 : tile<f32> -> tile<1x1xf32>
        %27 = cuda_tile.broadcast %26 : tile<1x1xf32> -> tile<4x8xf32>
        %28 = cuda_tile.addf %t, %27 : tile<4x8xf32>
        cuda_tile.yield %28 : tile<4x8xf32>
      } else {
        cuda_tile.yield %t : tile<4x8xf32>
      }
// for k in range(n):
//     for l in fh.static_range(2):
//         if k > l: t = t + k
      %14 = cuda_tile.constant <i32: 0> : tile<i32>
      %15 = cuda_tile.constant <i32: 1> : tile<i32>
      %t_1 = cuda_tile.for %k in (%14 to %n, step %15) : tile<i32> iter_values(%t_2 = %t) -> (tile<4x8xf32>) {
        %16 = cuda_tile.constant <i32: 0> : tile<i32>
        %17 = cuda_tile.cmpi greater_than %k, %16, signed : tile<i32> -> tile<i1>
        %t_3 = cuda_tile.if %17 -> (tile<4x8xf32>) {
          %18 = cuda_tile.itof %k signed : tile<i32> -> tile<f32>
          %19 = cuda_tile.reshape %18 : tile<f32> -> tile<1x1xf32>
          %20 = cuda_tile.broadcast %19 : tile<1x1xf32> -> tile<4x8xf32>
          %t_4 = cuda_tile.addf %t_2, %20 : tile<4x8xf32>
          cuda_tile.yield %t_4 : tile<4x8xf32>
        } else {
          cuda_tile.yield %t_2 : tile<4x8xf32>
        }
        %21 = cuda_tile.constant <i32: 1> : tile<i32>
        %22 = cuda_tile.cmpi greater_than %k, %21, signed : tile<i32> -> tile<i1>
        %t_5 = cuda_tile.if %22 -> (tile<4x8xf32>) {
          %23 = cuda_tile.itof %k signed : tile<i32> -> tile<f32>
          %24 = cuda_tile.reshape %23 : tile<f32> -> tile<1x1xf32>
          %25 = cuda_tile.broadcast %24 : tile<1x1xf32> -> tile<4x8xf32>
          %t_6 = cuda_tile.addf %t_3, %25 : tile<4x8xf32>
          cuda_tile.yield %t_6 : tile<4x8xf32>
        } else {
          cuda_tile.yield %t_3 : tile<4x8xf32>
        }
        cuda_tile.continue %t_5 : tile<4x8xf32>
      }
