/**
 * `npm run bench`: compares gpuq with its alternatives in one run on one machine. Compare the ratios; the
 * absolute times depend on the machine. `--only NAME` runs one part; `--json` prints JSON. `--trace` prints the steps of
 * a job instead, from the request to the first line, and from its end to the next job.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { closeConnections } from './client'
import { benchCommandLine } from './command-line'
import { benchDirectDispatch } from './direct-dispatch'
import { benchDirectories, directoryLimits } from './directories'
import { benchFirstOutput, benchTorch } from './first-output'
import { benchJobList } from './job-list'
import { benchJobSearch } from './job-search'
import { benchLargeQueue } from './large-queue'
import { type Figures, figuresOf, ms, times } from './measure'
import { benchMemory } from './memory'
import { benchNextJob } from './next-job'
import { benchLineToScreen, benchManyJobs, benchManyLines, manyJobsNodes } from './output'
import { benchSubmissions } from './submissions'
import { type TracedStep, traceNextJob, traceSubmission } from './trace'
import { withSystem } from './with-system'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '20' },
    clients: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
  },
})
const rounds = Number(options.rounds)
const say = (line: string) => (options.json ? undefined : console.log(line))

/** The parts. Each prints its figures and returns those of `--json`. */
const parts: Record<string, () => Promise<Record<string, number>>> = {
  'first-output': async () => {
    const first = await withSystem({}, (warm) =>
      withSystem({ env: { GPUQ_WARM_CONTAINERS: '0' } }, (cold) => benchFirstOutput({ warm, cold }, rounds)),
    )
    const ratio = first.warm.median / first.dockerRun.median
    const coldRatio = first.cold.median / first.dockerRun.median
    const line = (what: string, { median, p95 }: Figures) => `  ${what}${ms(median)}, p95 ${ms(p95)}`
    say(`Submit → first output line, median of ${rounds} rounds, alternating`)
    say(
      `${line('gpuq, warm container        ', first.warm)}   ${times(ratio)} of docker run (target: within 0.25 ×)`,
    )
    say(`${line('gpuq, cold                  ', first.cold)}   ${times(coldRatio)} of docker run`)
    say(line('docker run                  ', first.dockerRun))
    say(line('docker run --network none   ', first.dockerRunNoNetwork))
    return {
      first_output_ratio: ratio,
      first_output_ms: first.warm.median,
      first_output_cold_ratio: coldRatio,
      first_output_cold_ms: first.cold.median,
      docker_run_ms: first.dockerRun.median,
    }
  },

  'first-output-torch': async () => {
    const { prepared, plain, dockerRun } = await withSystem({}, (withImports) =>
      withSystem({}, (without) => benchTorch({ prepared: withImports, plain: without }, rounds)),
    )
    const ratio = prepared.median / dockerRun.median
    const line = (what: string, { median, p95 }: Figures) => `  ${what}${ms(median)}, p95 ${ms(p95)}`
    say(`Submit → first output line of a program that imports torch, median of ${rounds} rounds, alternating`)
    say(
      `${line('gpuq, prepared imports      ', prepared)}   ${times(ratio)} of docker run (target: within 0.1 ×)`,
    )
    say(
      `${line('gpuq, warm container        ', plain)}   ${times(plain.median / dockerRun.median)} of docker run`,
    )
    say(line('docker run                  ', dockerRun))
    return {
      first_output_torch_ratio: ratio,
      first_output_torch_ms: prepared.median,
      first_output_torch_plain_ms: plain.median,
      docker_run_torch_ms: dockerRun.median,
    }
  },

  'next-job': async () => {
    const next = await withSystem({ simulatedGpus: 1 }, (system) => benchNextJob(system, rounds))
    say(`End of a job → first line of the next on the same GPU, ${rounds} jobs`)
    say(
      `  p50 ${ms(next.median)} (target: 60 ms), p95 ${ms(next.p95)}, min ${ms(next.min)}, max ${ms(next.max)}`,
    )
    return { end_to_next_line_p50_ms: next.median, end_to_next_line_p95_ms: next.p95 }
  },

  'line-to-screen': async () => {
    const delay = await withSystem({}, (system) => benchLineToScreen(system, 10 * rounds))
    say(`Line printed → line in a frame of Chromium, ${delay.count} lines, ten per second`)
    say(`  p50 ${ms(delay.median)} (target: 20 ms), p95 ${ms(delay.p95)} (target: 60 ms)`)
    return { line_to_screen_p50_ms: delay.median, line_to_screen_p95_ms: delay.p95 }
  },

  output: async () => {
    const lines = await withSystem({}, (system) => benchManyLines(system, Math.min(rounds, 5)))
    const ratio = lines.gpuq.median / lines.dockerRun.median
    say('One job prints 1,000,000 lines: from the request until all are stored')
    say(`  gpuq                        ${ms(lines.gpuq.median)}   ${times(ratio)} of docker run`)
    say(`  docker run                  ${ms(lines.dockerRun.median)}`)
    const jobs = await withSystem({ workers: manyJobsNodes }, (system) => benchManyJobs(system, 20))
    const { delay, webCpuMs, databaseCpuMs, workerCpuMs } = jobs
    say('A hundred jobs print ten lines per second each')
    say(`  line printed → client       p50 ${ms(delay.median)}, p95 ${ms(delay.p95)}, ${delay.count} lines`)
    say(
      `  CPU time of 1,000 lines     web server ${ms(webCpuMs)}, PostgreSQL ${ms(databaseCpuMs)}, workers ${ms(workerCpuMs)}`,
    )
    return {
      million_lines_ratio: ratio,
      million_lines_ms: lines.gpuq.median,
      many_jobs_line_p50_ms: delay.median,
      many_jobs_line_p95_ms: delay.p95,
      thousand_lines_web_cpu_ms: webCpuMs,
      thousand_lines_database_cpu_ms: databaseCpuMs,
      thousand_lines_worker_cpu_ms: workerCpuMs,
    }
  },

  directories: async () => {
    const { push, copy, start } = await withSystem({ env: directoryLimits }, (system) =>
      benchDirectories(system, rounds),
    )
    const ratio = start.withDatasets.median / start.without.median
    say('gpuq push: 10,000 files, 1 GiB in total')
    say(
      `  first time                  ${ms(push.first)}   ${times(push.first / copy)} of cp -a and sync (${ms(copy)})`,
    )
    say(`  unchanged                   ${ms(push.unchanged)}`)
    say(`  one file changed            ${ms(push.oneChanged)}`)
    say(
      `Submit → first output line, with datasets of 5 GB in 20,050 files on the node, median of ${rounds} rounds, alternating`,
    )
    say(`  without                     ${ms(start.without.median)}`)
    say(
      `  with                        ${ms(start.withDatasets.median)}   ${times(ratio)} of it (target: within 1.1 ×)`,
    )
    return {
      push_first_ms: push.first,
      push_first_ratio: push.first / copy,
      push_unchanged_ms: push.unchanged,
      push_one_changed_ms: push.oneChanged,
      dataset_start_ratio: ratio,
    }
  },

  'direct-dispatch': async () => {
    const { jobs, free, between } = await withSystem({ workers: 4, simulatedGpus: 2 }, benchDirectDispatch)
    say(`GPU idle time between two jobs: ${jobs} short jobs, four workers with two simulated GPUs each`)
    say(`  without an allocation       max ${ms(free.max)} (target: 200 ms)`)
    say(
      `  end of job → next task      p50 ${ms(between.median)}, p95 ${ms(between.p95)}, max ${ms(between.max)}`,
    )
    return {
      gpu_free_max_ms: free.max,
      gpu_between_jobs_p95_ms: between.p95,
      gpu_between_jobs_max_ms: between.max,
    }
  },

  submissions: async () => {
    const clients = Number(options.clients)
    const seconds = Number(options.seconds)
    const { perSecond, latency, webCpuMs, databaseCpuMs } = await withSystem(
      { workers: 0, durable: true },
      (system) => benchSubmissions(system, { clients, seconds }),
    )
    say(`Accepted submissions, wait=false, durable, ${clients} clients for ${seconds} s`)
    say(
      `  ${perSecond.toFixed(0)} per second (target: 1000), p50 ${ms(latency.median)}, p99 ${ms(latency.p99)}`,
    )
    say(`  CPU time of each: web server ${ms(webCpuMs)}, PostgreSQL ${ms(databaseCpuMs)}`)
    return {
      submissions_per_second: perSecond,
      submissions_p50_ms: latency.median,
      submissions_p99_ms: latency.p99,
      submission_web_cpu_ms: webCpuMs,
      submission_database_cpu_ms: databaseCpuMs,
    }
  },

  'job-list': async () => {
    const { api, page } = await withSystem({ workers: 0 }, (system) =>
      benchJobList(system, Math.max(rounds, 50)),
    )
    const apiRatio = api.many.median / api.few.median
    const pageRatio = page.many.median / page.few.median
    say('Job list with 100,000 stored jobs, compared with 100 (target: within 1.5 ×)')
    say(`  /api/jobs   ${ms(api.many.median)}, with 100: ${ms(api.few.median)}, ratio ${times(apiRatio)}`)
    say(`  /jobs       ${ms(page.many.median)}, with 100: ${ms(page.few.median)}, ratio ${times(pageRatio)}`)
    return { api_list_ratio: apiRatio, page_list_ratio: pageRatio }
  },

  'job-search': async () => {
    const searches = await withSystem({ workers: 0 }, (system) => benchJobSearch(system, rounds))
    const met = searches.filter(({ figures }) => figures.p95 < 50).length
    const p95 = figuresOf(searches.map(({ figures }) => figures.p95))
    say(`Search of the job list with 1,000,000 jobs, ${rounds} rounds each`)
    say(`  ${met} of ${searches.length} searches have a p95 below 50 ms, the target. The ten slowest:`)
    for (const { name, figures } of searches.slice(0, 10))
      say(`  ${name.padEnd(76)}p50 ${ms(figures.median)}, p95 ${ms(figures.p95)}`)
    return {
      job_searches: searches.length,
      job_searches_within_50_ms: met,
      job_search_p95_median_ms: p95.median,
      job_search_p95_max_ms: p95.max,
    }
  },

  'large-queue': async () => {
    const { metrics, queue, status } = await withSystem({ workers: 0 }, (system) =>
      benchLargeQueue(system, rounds),
    )
    say('With 1,000,000 ended and 100,000 waiting jobs, median (target: 50 ms)')
    say(`  /metrics                    ${ms(metrics.median)}`)
    say(`  /queue?limit=50             ${ms(queue.median)}`)
    say(`  /orchestrator/status        ${ms(status.median)}`)
    return {
      metrics_large_ms: metrics.median,
      queue_large_ms: queue.median,
      orchestrator_large_ms: status.median,
    }
  },

  'command-line': async () => {
    const { node, version, jobs } = await withSystem({ workers: 0 }, (system) =>
      benchCommandLine(system, rounds),
    )
    say(`The command line, median of ${rounds} rounds, alternating`)
    say(`  gpuq --version              ${ms(version.median)} (target: 100 ms)`)
    say(`  gpuq jobs                   ${ms(jobs.median)} (target: 250 ms)`)
    say(`  node --eval 0               ${ms(node.median)}`)
    return { gpuq_version_ms: version.median, gpuq_jobs_ms: jobs.median, node_start_ms: node.median }
  },

  memory: async () => {
    const { web, worker } = await withSystem({}, benchMemory)
    say('Memory at rest (Pss), after the start')
    say(`  web server ${web.toFixed(0)} MiB (target: 139), worker ${worker.toFixed(0)} MiB`)
    return { web_memory_mib: web, worker_memory_mib: worker }
  },
}

/** The parts of `--trace`. */
const traces: typeof parts = {
  submission: async () => {
    const env = { GPUQ_LOG_LEVEL: 'trace' }
    const steps = await withSystem({ env }, (system) => traceSubmission(system, rounds))
    return printTrace('Submit → first line, with a warm container', 'trace_submission', steps)
  },
  'next-job': async () => {
    const env = { GPUQ_LOG_LEVEL: 'trace' }
    const steps = await withSystem({ simulatedGpus: 1, env }, (system) => traceNextJob(system, rounds))
    return printTrace('End of a job → first line of the next on the same GPU', 'trace_next_job', steps)
  },
}

function printTrace(title: string, key: string, steps: readonly TracedStep[]): Record<string, number> {
  const load = loadavg().map((average) => average.toFixed(1))
  say(`${title}: medians of ${rounds} rounds, load average ${load.join(', ')}`)
  say(`  ${'step'.padEnd(26)}${'at'.padStart(8)}${'after the one before'.padStart(24)}${'p95'.padStart(10)}`)
  for (const { step, at, took } of steps)
    say(
      `  ${step.padEnd(26)}${ms(at.median).padStart(8)}${ms(took.median).padStart(24)}${ms(took.p95).padStart(10)}`,
    )
  return Object.fromEntries(
    steps.map(({ step, at }) => [`${key}_${step.replaceAll(/\W+/g, '_')}_ms`, at.median]),
  )
}

const available = options.trace ? traces : parts
const chosen = Object.entries(available).filter(([name]) => (options.only ?? name) === name)
if (chosen.length === 0)
  throw new Error(`--only ${options.only}: no such part. The parts are ${Object.keys(available).join(', ')}.`)
const figures: Record<string, number> = {}
for (const [index, [, run]] of chosen.entries()) {
  if (index > 0) say('')
  Object.assign(figures, await run())
}
if (options.json) console.log(JSON.stringify(figures))
closeConnections()
