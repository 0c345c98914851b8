/** `1 GPU hour`, `12.5 GPU hours`. */
export const describeGpuHours = (hours: number) => `${hours} GPU hour${hours === 1 ? '' : 's'}`
