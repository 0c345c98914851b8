/** The parts that a plain `npm run bench` measures, in this order: the figures with a target that users notice come first. */
import { benchCommandLine } from './command-line'
import { benchFirstOutput, benchTorch } from './first-output'
import { type Figures, ms, times } from './measure'
import { benchMemory } from './memory'
import { benchNextJob } from './next-job'
import { benchLineToScreen } from './output'
import { benchResultReads } from './result-reads'
import type { Part } from './runner/run-parts'
import { compareWithSlurm, describeDrain } from './slurm/compare'
import { benchSubmissions } from './submissions'
import { withSystem } from './with-system'

/** Jobs of the plain comparison with Slurm. `npm run bench:slurm` has more. */
const slurmJobs = 100

const row = (what: string, { median, p95 }: Figures, more = '') =>
  `  ${what.padEnd(28)}${ms(median)}, p95 ${ms(p95)}${more}`
const ofDockerRun = (ratio: number) => `   ${times(ratio)} of docker run`

const firstOutput: Part = {
  name: 'first-output',
  estimateS: 75,
  async run({ rounds }) {
    const first = await withSystem({}, (warm) =>
      withSystem({ env: { GPUQ_WARM_CONTAINERS: '0' } }, (cold) => benchFirstOutput({ warm, cold }, rounds)),
    )
    const ratio = first.warm.median / first.dockerRun.median
    const coldRatio = first.cold.median / first.dockerRun.median
    return {
      lines: [
        `Submit → first output line, median of ${rounds} rounds, alternating`,
        row('gpuq, warm container', first.warm, `${ofDockerRun(ratio)} (target: within 0.25 ×)`),
        row('gpuq, cold', first.cold, ofDockerRun(coldRatio)),
        row('docker run', first.dockerRun),
        row('docker run --network none', first.dockerRunNoNetwork),
      ],
      figures: {
        first_output_ratio: ratio,
        first_output_ms: first.warm.median,
        first_output_cold_ratio: coldRatio,
        first_output_cold_ms: first.cold.median,
        docker_run_ms: first.dockerRun.median,
      },
    }
  },
}

const firstOutputTorch: Part = {
  name: 'first-output-torch',
  estimateS: 120,
  async run({ rounds }) {
    const { prepared, plain, dockerRun } = await withSystem({}, (withImports) =>
      withSystem({}, (without) => benchTorch({ prepared: withImports, plain: without }, rounds)),
    )
    const ratio = prepared.median / dockerRun.median
    return {
      lines: [
        `Submit → first output line of a program that imports torch, median of ${rounds} rounds, alternating`,
        row('gpuq, prepared imports', prepared, `${ofDockerRun(ratio)} (target: within 0.1 ×)`),
        row('gpuq, warm container', plain, ofDockerRun(plain.median / dockerRun.median)),
        row('docker run', dockerRun),
      ],
      figures: {
        first_output_torch_ratio: ratio,
        first_output_torch_ms: prepared.median,
        first_output_torch_plain_ms: plain.median,
        docker_run_torch_ms: dockerRun.median,
      },
    }
  },
}

const nextJob: Part = {
  name: 'next-job',
  estimateS: 80,
  async run({ rounds }) {
    const { gpuq, dockerRun } = await withSystem({ simulatedGpus: 1 }, (system) =>
      benchNextJob(system, rounds),
    )
    const ratio = gpuq.median / dockerRun.median
    return {
      lines: [
        `End of a program → first line of the next one on the same GPU, ${rounds} rounds`,
        row('gpuq', gpuq, `${ofDockerRun(ratio)} (target of the median: 60 ms)`),
        row('docker run in a loop', dockerRun),
      ],
      figures: {
        end_to_next_line_ratio: ratio,
        end_to_next_line_p50_ms: gpuq.median,
        end_to_next_line_p95_ms: gpuq.p95,
        docker_run_to_next_line_ms: dockerRun.median,
      },
    }
  },
}

const lineToScreen: Part = {
  name: 'line-to-screen',
  estimateS: 35,
  async run({ rounds, progress }) {
    const delay = await withSystem({}, (system) => benchLineToScreen(system, 10 * rounds, progress))
    return {
      lines: [
        `Line printed → line in a frame of Chromium, ${delay.count} lines, ten per second`,
        `  p50 ${ms(delay.median)} (target: 20 ms), p95 ${ms(delay.p95)} (target: 60 ms)`,
      ],
      figures: { line_to_screen_p50_ms: delay.median, line_to_screen_p95_ms: delay.p95 },
    }
  },
}

const submissions: Part = {
  name: 'submissions',
  estimateS: 30,
  async run({ clients, seconds }) {
    const { perSecond, latency, webCpuMs, databaseCpuMs } = await withSystem(
      { workers: 0, durable: true },
      (system) => benchSubmissions(system, { clients, seconds }),
    )
    return {
      lines: [
        `Accepted submissions, wait=false, durable, ${clients} clients for ${seconds} s`,
        `  ${perSecond.toFixed(0)} per second (target: 1000), p50 ${ms(latency.median)}, p99 ${ms(latency.p99)}`,
        `  CPU time of each: web server ${ms(webCpuMs)}, PostgreSQL ${ms(databaseCpuMs)}`,
      ],
      figures: {
        submissions_per_second: perSecond,
        submissions_p50_ms: latency.median,
        submissions_p99_ms: latency.p99,
        submission_web_cpu_ms: webCpuMs,
        submission_database_cpu_ms: databaseCpuMs,
      },
    }
  },
}

const drain: Part = {
  name: 'drain',
  estimateS: 150,
  async run({ progress }) {
    const { bare, onSlurm } = await compareWithSlurm({ jobs: slurmJobs, rounds: 1, builtin: false, progress })
    const ratio = onSlurm.drain.drained / bare.drain.drained
    return {
      lines: [
        `${slurmJobs} short jobs on four Slurm nodes with eight simulated GPUs each`,
        describeDrain('bare sbatch', bare),
        describeDrain('gpuq on Slurm', onSlurm),
        `  gpuq on Slurm drains in ${times(ratio)} of bare sbatch (target: within 1.25 ×)`,
      ],
      figures: {
        drain_ratio: ratio,
        sbatch_drain_ms: bare.drain.drained,
        slurm_drain_ms: onSlurm.drain.drained,
      },
    }
  },
}

const commandLine: Part = {
  name: 'command-line',
  estimateS: 25,
  async run({ rounds }) {
    const { node, version, jobs } = await withSystem({ workers: 0 }, (system) =>
      benchCommandLine(system, rounds),
    )
    return {
      lines: [
        `The command line, median of ${rounds} rounds, alternating`,
        row('gpuq --version', version, ' (target: 100 ms)'),
        row('gpuq jobs', jobs, ' (target: 250 ms)'),
        row('node --eval 0', node),
      ],
      figures: { gpuq_version_ms: version.median, gpuq_jobs_ms: jobs.median, node_start_ms: node.median },
    }
  },
}

const memory: Part = {
  name: 'memory',
  estimateS: 45,
  async run() {
    const { web, worker } = await withSystem({}, benchMemory)
    return {
      lines: [
        'Memory at rest (Pss), after the start',
        `  web server ${web.toFixed(0)} MiB (target: 139), worker ${worker.toFixed(0)} MiB`,
      ],
      figures: { web_memory_mib: web, worker_memory_mib: worker },
    }
  },
}

const resultReads: Part = {
  name: 'result-reads',
  estimateS: 55,
  async run() {
    const { alone, beside, besideBusyCore, answered } = await withSystem({ workers: 0 }, benchResultReads)
    const ratio = beside.p99 / alone.p99
    return {
      lines: [
        "Another user's /api/jobs, beside 100 requests for an output of 33 MiB, which one user repeats",
        `  beside them                 p50 ${ms(beside.median)}, p99 ${ms(beside.p99)}, ${times(ratio)} of it alone (target: within 2 ×)`,
        `  alone                       p50 ${ms(alone.median)}, p99 ${ms(alone.p99)}`,
        `  beside one busy core        p50 ${ms(besideBusyCore.median)}, p99 ${ms(besideBusyCore.p99)}, ${times(besideBusyCore.p99 / alone.p99)} of it alone`,
        `  outputs sent meanwhile      ${answered}`,
      ],
      figures: {
        result_reads_ratio: ratio,
        result_reads_p99_ms: beside.p99,
        result_reads_alone_p99_ms: alone.p99,
        result_reads_busy_core_ratio: besideBusyCore.p99 / alone.p99,
        result_reads_answered: answered,
      },
    }
  },
}

export const plainParts: readonly Part[] = [
  firstOutput,
  firstOutputTorch,
  nextJob,
  lineToScreen,
  submissions,
  drain,
  commandLine,
  memory,
  resultReads,
]
