import { expect, it } from 'vitest'
import { parseStepLine } from './step-line'

const secret = 'a'.repeat(43)
const row = '01a207ed-920a-7743-8f8c-71c6bbd36e5e'

it('reads what a step reports', () => {
  expect(
    parseStepLine(`gpuq 1 ${secret} ${row} 12 1 3 4 2048 0,2-4 /system.slice/job_12/step_0/user/task_0`),
  ).toEqual({
    rowId: row,
    secret,
    slurmId: 12,
    restart: 1,
    rank: 3,
    gpuIndexes: [0, 2, 3, 4],
    cpuMilli: 4000,
    memoryMib: 2048,
    cgroup: '/system.slice/job_12/step_0/user/task_0',
  })
  expect(parseStepLine(`gpuq 1 ${secret} ${row} 12 0 0 1 100 - /`)).toMatchObject({
    gpuIndexes: [],
    cgroup: null,
  })
})

it.each(['/', '/system.slice', '/job_13/step_0', '/job_12/step_0/../../other', '/job_12'])(
  'does not put a container below the cgroup %s, which is not that of the job',
  (group) => {
    expect(parseStepLine(`gpuq 1 ${secret} ${row} 12 0 0 1 100 - ${group}`)).toMatchObject({ cgroup: null })
  },
)

it.each([
  '',
  'GET / HTTP/1.1',
  `gpuq 2 ${secret} ${row} 12 0 0 1 100 - /`,
  `gpuq 1 short ${row} 12 0 0 1 100 - /`,
  `gpuq 1 ${secret} row 12 0 0 1 100 - /`,
  `gpuq 1 ${secret} ${row} 0 0 0 1 100 - /`,
  `gpuq 1 ${secret} ${row} 12 -1 0 1 100 - /`,
  `gpuq 1 ${secret} ${row} 12 0 0 0 100 - /`,
  `gpuq 1 ${secret} ${row} 12 0 0 1 100 0,0 /`,
  `gpuq 1 ${secret} ${row} 12 0 0 1 100 0-9999 /`,
  `gpuq 1 ${secret} ${row} 12 0 0 1 100 - relative`,
  `gpuq 1 ${secret} ${row} 12 0 0 1 100 - /$(id)`,
  `gpuq 1 ${secret} ${row} 12 0 0 1 100 - / more`,
])('refuses "%s"', (line) => {
  expect(parseStepLine(line)).toBeNull()
})
