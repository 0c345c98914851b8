/** Names of training counters that are the x axis, the finest first: two epochs of a hundred steps are two hundred points. */
export const axisNames: readonly string[] = [
  'global_step',
  'step',
  'iteration',
  'iter',
  'batch',
  'epoch',
  'round',
  'generation',
  'x',
  'index',
  'i',
]

/** Returns true for a counter, such as `step`: no value of it is better than another. */
export function isCounter(metric: string): boolean {
  return axisNames.includes(metric)
}

/** The x axes that every job has: the number of the line, and the seconds since the first one. */
export const commonAxes = ['line', 'time'] as const
