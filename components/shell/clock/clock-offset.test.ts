import { expect, it } from 'vitest'
import { nextClockOffset } from './clock-offset'

const date = 'Fri, 27 Nov 2026 08:00:00 GMT'
const server = Date.parse(date)

it.each([
  ['is 0 for equal clocks', 0, server + 100, server + 300, 0],
  ['is 0 if the whole second of the header explains the difference', 0, server + 900, server + 950, 0],
  ['is found for a browser that is 10 minutes behind', 0, server - 600_000, server - 599_800, 600_400],
  ['is found for a browser that is an hour ahead', 0, server + 3_600_000, server + 3_600_200, -3_599_600],
  ['stays while a sample agrees with it', 600_400, server - 600_000, server - 599_000, 600_400],
  ['returns to 0 if the clock was corrected', 600_400, server, server + 100, 0],
])('the offset %s', (_, before, sentAt, receivedAt, after) => {
  expect(nextClockOffset(before, { date, sentAt, receivedAt })).toBe(after)
})

it.each([null, '', 'soon'])('the offset stays without a usable header: %j', (header) => {
  expect(nextClockOffset(5, { date: header, sentAt: 0, receivedAt: 1 })).toBe(5)
})
