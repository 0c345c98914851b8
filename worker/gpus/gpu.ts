/** A GPU that its node offers. */
export interface Gpu {
  index: number
  uuid: string
  model: string
  memoryMib: number
  /** True for a simulated GPU: its containers are real, but it is not requested from the engine. */
  simulated: boolean
}
