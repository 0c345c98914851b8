/** A GPU as its node offers it. */
export interface Gpu {
  index: number
  uuid: string
  model: string
  memoryMib: number
  /** True for one that nobody has: its containers are real, only the device request is left out. */
  simulated: boolean
}
