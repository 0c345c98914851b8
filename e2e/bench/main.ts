/**
 * `npm run bench`: compares gpuq with its alternatives in one run on one machine. Compare the ratios; the
 * absolute times depend on the machine. `--json` prints JSON.
 */
import { parseArgs } from 'node:util'
import { type System, type SystemOptions, startSystem } from '../system/start-system'
import { closeConnections } from './client'
import { benchDirectDispatch } from './direct-dispatch'
import { benchFirstOutput } from './first-output'
import { benchJobList } from './job-list'
import { ms, times } from './measure'
import { benchSubmissions } from './submissions'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    clients: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
  },
})
const rounds = Number(options.rounds)
const say = (line: string) => (options.json ? undefined : console.log(line))

async function withSystem<T>(systemOptions: SystemOptions, work: (system: System) => Promise<T>): Promise<T> {
  const system = await startSystem({
    ...systemOptions,
    env: { GPUQ_LOG_LEVEL: 'warn', GPUQ_WRITES_PER_MINUTE: '1000000' },
  })
  const onInterrupt = () => system.stop().finally(() => process.exit(130))
  process.once('SIGINT', onInterrupt)
  try {
    return await work(system)
  } finally {
    process.off('SIGINT', onInterrupt)
    await system.stop()
  }
}

const first = await withSystem({}, (system) => benchFirstOutput(system, rounds))
const firstRatio = first.gpuq.median / first.dockerRun.median
say(`Submit → first output line, median of ${rounds} rounds, alternating`)
say(`  gpuq                        ${ms(first.gpuq.median)}`)
say(
  `  docker run                  ${ms(first.dockerRun.median)}   gpuq: ${times(firstRatio)} of it (target: within 1.15 ×)`,
)
say(
  `  docker run --network none   ${ms(first.dockerRunNoNetwork.median)}   gpuq: ${times(first.gpuq.median / first.dockerRunNoNetwork.median)} of it`,
)

const changes = await withSystem({ workers: 4, simulatedGpus: 2 }, benchDirectDispatch)
say(`\nGPU idle time between two jobs: ${changes.jobs} short jobs, four workers with two simulated GPUs each`)
say(`  without an allocation       max ${ms(changes.free.max)} (target: 200 ms)`)
say(
  `  end of job → next task      p50 ${ms(changes.between.median)}, p95 ${ms(changes.between.p95)}, max ${ms(changes.between.max)}`,
)

const { submissions, list } = await withSystem({ workers: 0 }, async (system) => ({
  list: await benchJobList(system, Math.max(rounds, 50)),
  submissions: await benchSubmissions(system, {
    clients: Number(options.clients),
    seconds: Number(options.seconds),
  }),
}))
const { perSecond, latency } = submissions
say(`\nAccepted submissions, wait=false, durable, ${options.clients} clients for ${options.seconds} s`)
say(`  ${perSecond.toFixed(0)} per second (target: 500), p50 ${ms(latency.median)}, p99 ${ms(latency.p99)}`)

const apiRatio = list.api.many.median / list.api.few.median
const pageRatio = list.page.many.median / list.page.few.median
say('\nJob list with 100,000 stored jobs, compared with 100 (target: within 1.5 ×)')
say(
  `  /api/jobs   ${ms(list.api.many.median)}, with 100: ${ms(list.api.few.median)}, ratio ${times(apiRatio)}`,
)
say(
  `  /jobs       ${ms(list.page.many.median)}, with 100: ${ms(list.page.few.median)}, ratio ${times(pageRatio)}`,
)

if (options.json) {
  console.log(
    JSON.stringify({
      first_output_ratio: firstRatio,
      gpu_free_max_ms: changes.free.max,
      gpu_between_jobs_p95_ms: changes.between.p95,
      gpu_between_jobs_max_ms: changes.between.max,
      submissions_per_second: perSecond,
      submissions_p50_ms: latency.median,
      submissions_p99_ms: latency.p99,
      api_list_ratio: apiRatio,
      page_list_ratio: pageRatio,
    }),
  )
}
closeConnections()
