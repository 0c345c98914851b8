/** The answer to a request: its header Date, and when it was sent and received by the clock of the browser, in milliseconds. */
export interface ClockSample {
  date: string | null
  sentAt: number
  receivedAt: number
}

/**
 * How far the server's clock is ahead of the browser's, after another sample. The header has whole seconds, and the way of the answer
 * takes unknown time, so a sample gives only limits. What is within them stays, so that times do not jump.
 */
export function nextClockOffset(offset: number, { date, sentAt, receivedAt }: ClockSample): number {
  const serverAt = Date.parse(date ?? '')
  if (Number.isNaN(serverAt)) return offset
  const least = serverAt - receivedAt
  const most = serverAt + 1000 - sentAt
  if (least <= offset && offset <= most) return offset
  if (least <= 0 && 0 <= most) return 0
  return (least + most) / 2
}
