# y = x w, x 6 x 40, w 40 x 12, quantized, on the smallest machine: an array of
# 8 x 8, one queue for all transfers. Two columns of 6 come one after the other.
.machine tiny
.input x u8 6x40 align 64
.output y i8 6x12 align 64
.constants
weights: .zero 480      # [40][12]
.align 8
stages:
  .byte 48, 0, 0, 0     # tag
  .word 64
  .byte 16, 0, 0, 0     # a requantization
  .word 56
  .word 0, -128, 127, 0 # zero point, bounds
  .quad 1, 128, 0, 8    # (v * 1 + 128) >> 8, ties to even
stages_end:
.text
  cfg.i dma, src.space, 3
  cfg.i dma, size3, 240
  cfg.i dma, src.stride3, 1
  cfg.i dma, dst.stride3, 1
  go dma, copy, x0, x0
  cfg.i dma, src.space, 0
  cfg.i dma, src.offset, weights
  cfg.i dma, dst.offset, 256
  cfg.i dma, size3, 480
  go dma, copy, x0, x0
  signal dma, s0
  cfg.i matrix, out.w, 6              # rows of x
  cfg.i matrix, extent.w, 6
  cfg.i matrix, columns, 12
  cfg.i matrix, channels, 40
  cfg.i matrix, in.type, u8
  cfg.i matrix, in.zero, 131
  cfg.i matrix, in.stride.w, 40
  cfg.i matrix, weights.offset, 256
  cfg.i matrix, weights.stride.k, 12
  cfg.i matrix, weights.zero, 2
  cfg.i matrix, acc.stride.w, 48
  cfg.i matrix, out.offset, 768
  cfg.i matrix, out.stride.w, 12
  cfg.i matrix, emit, 1
  cfg.i matrix, params.space, 0
  cfg.i matrix, params.offset, stages
  cfg.i matrix, params.bytes, stages_end - stages
  wait.ge matrix, s0, 1
  go matrix, conv, x0, x0
  signal matrix, s1
  cfg.i dma, src.space, sram
  cfg.i dma, src.offset, 768
  cfg.i dma, dst.space, 4
  cfg.i dma, dst.offset, 0
  cfg.i dma, size3, 72
  wait.ge dma, s1, 1
  go dma, copy, x0, x0
  fence.all
  reset s0
  reset s1
  ecall
