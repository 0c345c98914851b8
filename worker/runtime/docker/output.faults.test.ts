import { afterAll, it } from 'vitest'
import { expectComplete, expectLastLine } from '../testing/repeated-output'
import { TaskBench } from '../testing/task-bench'

const bench = new TaskBench()
afterAll(() => bench.cleanUp())

it('is complete for containers that print and end at once, two hundred times', () =>
  expectComplete(bench, 200))

it('keeps the last line also where its log is followed and it has no newline, forty times', () =>
  expectLastLine(bench, 40))
