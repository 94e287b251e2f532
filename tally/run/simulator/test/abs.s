# y = |x|: the block has a line below and one from the zero point on.
.machine edge
.input x i8 256 align 64
.output y i8 256 align 64
.constants
block:                  # on one grid of zero point 0
  .byte 2, 136, 136, 0  # tag, i8 to i8
  .word 72
  .word 0, 0, -128, 127 # zero points, bounds
  .quad 0, -1           # below
  .word -1, 0
  .quad 0, -1           # above
  .word 1, 0
block_end:
.text
  cfg.i load0, src.space, 3
  cfg.i load0, size3, 256
  cfg.i load0, src.stride3, 1
  cfg.i load0, dst.stride3, 1
  go load0, copy, x0, x0
  signal load0, s0
  cfg.i vector, size3, 256
  cfg.i vector, a.stride3, 1
  cfg.i vector, out.stride3, 1
  cfg.i vector, out.offset, 256
  cfg.i vector, params.space, 0
  cfg.i vector, params.offset, block
  cfg.i vector, params.bytes, block_end - block
  wait.ge vector, s0, 1
  go vector, block, x0, x0
  signal vector, s1
  cfg.i store, size3, 256
  cfg.i store, src.offset, 256
  cfg.i store, src.stride3, 1
  cfg.i store, dst.stride3, 1
  cfg.i store, dst.space, 4
  wait.ge store, s1, 1
  go store, copy, x0, x0
  fence.all
  reset s0
  reset s1
  ecall
