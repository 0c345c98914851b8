import { expect, it, vi } from 'vitest'
import { startWatchdog } from './watchdog'

it('restarts a server that does not answer, reports it, and stops on request', async () => {
  const said: string[] = []
  let up = true
  let failing = true
  let restarts = 0
  const stop = startWatchdog({
    name: 'PostgreSQL',
    everyMs: 5,
    answers: async () => up,
    async restart() {
      restarts += 1
      if (failing) {
        failing = false
        throw new Error('its memory is still in use\nmore')
      }
      up = true
    },
    say: (sentence) => said.push(sentence),
  })
  up = false
  await vi.waitFor(() => expect(up).toBe(true), { timeout: 10_000 })
  await stop()
  expect(restarts).toBe(2)
  expect(said).toEqual([
    'PostgreSQL does not respond; restarting it',
    'PostgreSQL could not restart: its memory is still in use; retrying',
    'PostgreSQL is running again',
  ])
  // Another one looks as often from now on: when it has looked three times, the first would have looked too.
  up = false
  let looks = 0
  const stopOther = startWatchdog({
    name: 'another',
    everyMs: 5,
    answers: async () => {
      looks += 1
      return true
    },
    restart: async () => {},
    say: () => {},
  })
  await vi.waitFor(() => expect(looks).toBeGreaterThanOrEqual(3), { timeout: 10_000 })
  await stopOther()
  expect(restarts).toBe(2)
})
