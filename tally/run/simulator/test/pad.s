# y = x transposed from [5, 7] to [7, 5] and then padded by 2 rows before and 1
# column behind with -5, by the DMA alone. The destination is the box; the source
# has strides of the other order.
.machine edge
.input x i8 5x7 align 64
.output y i8 9x6 align 64
.text
  cfg.i load0, src.space, 3
  cfg.i load0, size2, 9
  cfg.i load0, size3, 6
  cfg.i load0, src.stride2, 1
  cfg.i load0, src.stride3, 7
  cfg.i load0, dst.stride2, 6
  cfg.i load0, dst.stride3, 1
  cfg.i load0, before2, 2
  cfg.i load0, extent2, 7
  cfg.i load0, extent3, 5
  cfg.i load0, fill, -5
  go load0, copy, x0, x0
  signal load0, s0
  cfg.i store, size3, 54
  cfg.i store, src.stride3, 1
  cfg.i store, dst.stride3, 1
  cfg.i store, dst.space, 4
  wait.ge store, s0, 1
  go store, copy, x0, x0
  fence.all
  reset s0
  ecall
