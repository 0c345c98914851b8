import { expect } from 'vitest'
import { collect } from './runtime-bench'
import type { TaskBench } from './task-bench'

/** Number of containers that run at a time. */
const atOnce = 4

const lines = (count: number, stream: string) =>
  Array.from({ length: count }, (_, number) => `${stream} ${number}\n`).join('')

/** Runs containers that print and end at once; all must come of what each of them prints. */
export async function expectComplete(bench: TaskBench, count: number): Promise<void> {
  const source = 'import sys\nfor n in range(100): print("out", n); print("err", n, file=sys.stderr)'
  let left = count
  const wrong: string[] = []
  const work = async () => {
    while (left-- > 0) {
      const { stdout, stderr } = await bench.run(source)
      if (stdout !== lines(100, 'out') || stderr !== lines(100, 'err')) wrong.push(stdout + stderr)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  expect(wrong).toEqual([])
}

/** Follows the logs of containers whose last line has no newline; it must come too. */
export async function expectLastLine(bench: TaskBench, count: number): Promise<void> {
  const { runtime } = bench
  const source =
    'import sys, time\ntime.sleep(0.3)\nprint("one")\nprint("two", file=sys.stderr)\nprint("end", end="")'
  for (let done = 0; done < count; done += atOnce) {
    const ends = Array.from({ length: atOnce }, async () => {
      const container = await runtime.create(await bench.task(source))
      const live = collect(await runtime.start(container))
      const followed = await collect(await runtime.replay(container))
      return [followed.stdout.toString(), followed.stderr.toString(), (await live).stdout.toString()]
    })
    expect(await Promise.all(ends)).toEqual(Array(atOnce).fill(['one\nend', 'two\n', 'one\nend']))
  }
}
