# Eight tiles of 64 bytes through two buffers: load, copy, store.
.machine edge
.input in i8 8x64
.output out i8 8x64
.symbol tiles sram 0, 128
.symbol results sram 128, 128
.text
.node stage
  cfg.i load0, size3, 64
  cfg.i load0, src.space, 3
  cfg.i load0, src.stride3, 1
  cfg.i load0, dst.stride3, 1
  cfg.i vector, size3, 64
  cfg.i vector, a.stride3, 1
  cfg.i vector, out.stride3, 1
  cfg.i store, size3, 64
  cfg.i store, src.stride3, 1
  cfg.i store, dst.space, 4
  cfg.i store, dst.stride3, 1
  addi x5, x0, 0          # the tile's buffer: 0 or 64
  addi x6, x0, 0          # its place in the caller's buffers
  addi x7, x0, 8          # tiles to go
.node tiles
loop:
  wait.rel load0, s1, 1   # the buffer has been read
  cfg.r load0, src.offset, x6
  cfg.r load0, dst.offset, x5
  go load0, copy, x0, x0
  signal load0, s0
  addi x8, x5, 128
  wait.rel vector, s0, 0
  wait.rel vector, s2, 1  # the result has been stored
  cfg.r vector, a.offset, x5
  cfg.r vector, out.offset, x8
  go vector, copy, x0, x0
  signal vector, s1
  wait.rel store, s1, 0
  cfg.r store, src.offset, x8
  cfg.r store, dst.offset, x6
  go store, copy, x0, x0
  signal store, s2
  xori x5, x5, 64
  addi x6, x6, 64
  addi x7, x7, -1
  bne x7, x0, loop
.endnode
  fence.all
  reset s0
  reset s1
  reset s2
  ecall
