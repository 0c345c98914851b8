/** The parts that take long. Only `--full` and `--only` run them. */
import { findWrong, readFailures } from '@/deploy/checks/failures/corpus'
import { benchBoard, boardTeams, entriesOfTeam } from './competition-board'
import { benchDirectDispatch } from './direct-dispatch'
import { benchDirectories, directoryLimits } from './directories'
import { benchAutoresearch, researchGpus } from './groups/autoresearch'
import { benchBudgets, budgetCalls, budgetGpus } from './groups/budgets'
import { benchAsha, benchGroups } from './groups/views'
import { benchJobList } from './job-list'
import { benchJobSearch } from './job-search'
import { benchLargeQueue } from './large-queue'
import { benchManyPoints } from './many-points'
import { type Figures, figuresOf, ms, times } from './measure'
import { benchManyJobs, benchManyLines, manyJobsNodes } from './output'
import type { Part } from './runner/run-parts'
import { withSystem } from './with-system'

/** A round with a million lines takes ten seconds. */
const mostRoundsOfLines = 5
const manyJobsSeconds = 20
/** Answers take milliseconds, and few of them would not be enough. */
const leastRoundsOfLists = 50

const manyLines: Part = {
  name: 'many-lines',
  full: true,
  estimateS: 80,
  async run({ rounds }) {
    const lines = await withSystem({}, (system) =>
      benchManyLines(system, Math.min(rounds, mostRoundsOfLines)),
    )
    const ratio = lines.gpuq.median / lines.dockerRun.median
    return {
      lines: [
        'One job prints 1,000,000 lines: from the request until all are stored',
        `  gpuq                        ${ms(lines.gpuq.median)}   ${times(ratio)} of docker run`,
        `  docker run                  ${ms(lines.dockerRun.median)}`,
      ],
      figures: { million_lines_ratio: ratio, million_lines_ms: lines.gpuq.median },
    }
  },
}

const manyJobs: Part = {
  name: 'many-jobs',
  full: true,
  estimateS: 150,
  async run() {
    const { delay, webCpuMs, databaseCpuMs, workerCpuMs } = await withSystem(
      { workers: manyJobsNodes },
      (system) => benchManyJobs(system, manyJobsSeconds),
    )
    return {
      lines: [
        'A hundred jobs print ten lines per second each',
        `  line printed → client       p50 ${ms(delay.median)}, p95 ${ms(delay.p95)}, ${delay.count} lines`,
        `  CPU time of 1,000 lines     web server ${ms(webCpuMs)}, PostgreSQL ${ms(databaseCpuMs)}, workers ${ms(workerCpuMs)}`,
      ],
      figures: {
        many_jobs_line_p50_ms: delay.median,
        many_jobs_line_p95_ms: delay.p95,
        thousand_lines_web_cpu_ms: webCpuMs,
        thousand_lines_database_cpu_ms: databaseCpuMs,
        thousand_lines_worker_cpu_ms: workerCpuMs,
      },
    }
  },
}

const directories: Part = {
  name: 'directories',
  full: true,
  estimateS: 300,
  async run({ rounds }) {
    const { push, copy, start } = await withSystem({ env: directoryLimits }, (system) =>
      benchDirectories(system, rounds),
    )
    const ratio = start.withDatasets.median / start.without.median
    return {
      lines: [
        'gpuq push: 10,000 files, 1 GiB in total',
        `  first time                  ${ms(push.first)}   ${times(push.first / copy)} of cp -a and sync (${ms(copy)})`,
        `  unchanged                   ${ms(push.unchanged)}`,
        `  one file changed            ${ms(push.oneChanged)}`,
        `Submit → first output line, with datasets of 5 GB in 20,050 files on the node, median of ${rounds} rounds, alternating`,
        `  without                     ${ms(start.without.median)}`,
        `  with                        ${ms(start.withDatasets.median)}   ${times(ratio)} of it (target: within 1.1 ×)`,
      ],
      figures: {
        push_first_ms: push.first,
        push_first_ratio: push.first / copy,
        push_unchanged_ms: push.unchanged,
        push_one_changed_ms: push.oneChanged,
        dataset_start_ratio: ratio,
      },
    }
  },
}

const directDispatch: Part = {
  name: 'direct-dispatch',
  full: true,
  estimateS: 90,
  async run() {
    const { jobs, free, between } = await withSystem({ workers: 4, simulatedGpus: 2 }, benchDirectDispatch)
    return {
      lines: [
        `GPU idle time between two jobs: ${jobs} short jobs, four workers with two simulated GPUs each`,
        `  without an allocation       max ${ms(free.max)} (target: 200 ms)`,
        `  end of job → next task      p50 ${ms(between.median)}, p95 ${ms(between.p95)}, max ${ms(between.max)}`,
      ],
      figures: {
        gpu_free_max_ms: free.max,
        gpu_between_jobs_p95_ms: between.p95,
        gpu_between_jobs_max_ms: between.max,
      },
    }
  },
}

const jobList: Part = {
  name: 'job-list',
  full: true,
  estimateS: 60,
  async run({ rounds }) {
    const { api, page } = await withSystem({ workers: 0 }, (system) =>
      benchJobList(system, Math.max(rounds, leastRoundsOfLists)),
    )
    const apiRatio = api.many.median / api.few.median
    const pageRatio = page.many.median / page.few.median
    return {
      lines: [
        'Job list with 100,000 stored jobs, compared with 100 (target: within 1.5 ×)',
        `  /api/jobs   ${ms(api.many.median)}, with 100: ${ms(api.few.median)}, ratio ${times(apiRatio)}`,
        `  /jobs       ${ms(page.many.median)}, with 100: ${ms(page.few.median)}, ratio ${times(pageRatio)}`,
      ],
      figures: { api_list_ratio: apiRatio, page_list_ratio: pageRatio },
    }
  },
}

const jobSearch: Part = {
  name: 'job-search',
  full: true,
  estimateS: 420,
  async run({ rounds }) {
    const searches = await withSystem({ workers: 0 }, (system) => benchJobSearch(system, rounds))
    const met = searches.filter(({ figures }) => figures.p95 < 50).length
    const p95 = figuresOf(searches.map(({ figures }) => figures.p95))
    const slowest = searches
      .slice(0, 10)
      .map(({ name, figures }) => `  ${name.padEnd(76)}p50 ${ms(figures.median)}, p95 ${ms(figures.p95)}`)
    return {
      lines: [
        `Search of the job list with 1,000,000 jobs, ${rounds} rounds each`,
        `  ${met} of ${searches.length} searches have a p95 below 50 ms, the target. The ten slowest:`,
        ...slowest,
      ],
      figures: {
        job_searches: searches.length,
        job_searches_within_50_ms: met,
        job_search_p95_median_ms: p95.median,
        job_search_p95_max_ms: p95.max,
      },
    }
  },
}

const largeQueue: Part = {
  name: 'large-queue',
  full: true,
  estimateS: 240,
  async run({ rounds }) {
    const { metrics, queue, status } = await withSystem({ workers: 0 }, (system) =>
      benchLargeQueue(system, rounds),
    )
    return {
      lines: [
        'With 1,000,000 ended and 100,000 waiting jobs, median (target: 50 ms)',
        `  /metrics                    ${ms(metrics.median)}`,
        `  /queue?limit=50             ${ms(queue.median)}`,
        `  /orchestrator/status        ${ms(status.median)}`,
      ],
      figures: {
        metrics_large_ms: metrics.median,
        queue_large_ms: queue.median,
        orchestrator_large_ms: status.median,
      },
    }
  },
}

const manyPoints: Part = {
  name: 'many-points',
  full: true,
  estimateS: 120,
  async run({ rounds, progress }) {
    const { chart, zoom, bytes } = await withSystem({}, (system) =>
      benchManyPoints(system, Math.min(rounds, mostRoundsOfLines), progress),
    )
    return {
      lines: [
        'Page of the metrics of a job with 1,000,000 values, in Chromium',
        `  request → chart             ${ms(chart.median)}, p95 ${ms(chart.p95)}`,
        `  zoom → values of the range  ${ms(zoom.median)}, p95 ${ms(zoom.p95)}`,
        `  largest answer              ${(bytes / 1e6).toFixed(2)} MB`,
      ],
      figures: {
        many_points_chart_ms: chart.median,
        many_points_zoom_ms: zoom.median,
        many_points_bytes: bytes,
      },
    }
  },
}

const groups: Part = {
  name: 'groups',
  full: true,
  estimateS: 120,
  async run({ rounds, progress }) {
    const { accept, together, oneByOne, cancelMs, views, frames } = await withSystem(
      { workers: 0 },
      (system) => benchGroups(system, rounds, progress),
    )
    const ratio = together.median / oneByOne.median
    const slowest = Math.max(...Object.values(views).map(({ p95 }) => p95))
    const { share, best } = benchAsha()
    return {
      lines: [
        'A group of 10,000 members',
        `  accepted in                 ${ms(accept.median)}, at most ${ms(accept.max)} (target: 2 s)`,
        `  cancelled before the start  ${ms(cancelMs)} (target: 12 s)`,
        ...Object.entries(views).map(
          ([name, { median, p95 }]) => `  ${name.padEnd(28)}${ms(median)}, p95 ${ms(p95)} (target: 100 ms)`,
        ),
        `  frames while scrolling      p95 ${ms(frames.p95)}, at most ${ms(frames.max)} (target: 50 ms), ${frames.count} frames`,
        `60 members in one request     ${ms(together.median)}   ${times(ratio)} of 60 requests (${ms(oneByOne.median)})`,
        `asha, 1,000 simulated curves  ${(100 * share).toFixed(0)} % of the steps (target: 30 %), the best member found within ${times(best.max)} of the best`,
      ],
      figures: {
        group_accept_10000_ms: accept.median,
        group_cancel_10000_ms: cancelMs,
        group_page_p95_ms: slowest,
        group_frame_max_ms: frames.max,
        group_of_60_ratio: ratio,
        asha_gpu_time_share: share,
        asha_best_ratio_max: best.max,
      },
    }
  },
}

const diagnosis: Part = {
  name: 'diagnosis',
  full: true,
  estimateS: 1,
  run() {
    const failures = readFailures('deploy/checks/failures')
    const share = 1 - findWrong(failures).length / failures.length
    return Promise.resolve({
      lines: [
        `Diagnosis: right for ${(100 * share).toFixed(1)} % of ${failures.length} failures (target: 95 %)`,
      ],
      figures: { diagnosis_right_share: share },
    })
  },
}

const autoresearch: Part = {
  name: 'autoresearch',
  full: true,
  estimateS: 180,
  async run({ seconds }) {
    const { experiments, gpuShare, tokens } = await withSystem({ simulatedGpus: researchGpus }, (system) =>
      benchAutoresearch(system, 12 * seconds),
    )
    return {
      lines: [
        `20 agents on ${researchGpus} simulated GPUs for ${12 * seconds} s, experiments that sleep for 10 s: ${experiments} (--seconds 50 for 10 minutes)`,
        `  GPUs inside a program       ${(100 * gpuShare).toFixed(1)} % of the time (target: 95 %)`,
        `  answers of the tools        ${tokens.median.toFixed(0)} tokens for a median experiment (target: 1000), p95 ${tokens.p95.toFixed(0)}`,
      ],
      figures: { loop_gpu_share: gpuShare, loop_tokens_median: tokens.median, loop_experiments: experiments },
    }
  },
}

/** Each round uses up four budgets. */
const mostRoundsOfBudgets = 5

const budget: Part = {
  name: 'budget',
  full: true,
  estimateS: 90,
  async run({ rounds, progress }) {
    const { alive, killed } = await benchBudgets(Math.min(rounds, mostRoundsOfBudgets), progress)
    const [overspend, afterDeath] = [figuresOf(alive), figuresOf(killed)]
    const seconds = ({ median, max }: Figures) => `p50 ${median.toFixed(2)} s, at most ${max.toFixed(2)} s`
    return {
      lines: [
        `${budgetCalls} jobs at once against a budget of 0.01 GPU hours of a token or a group, on ${budgetGpus} simulated GPUs: what each GPU in use spends above it`,
        `  the leader lives            ${seconds(overspend)} (target: 5 s), ${overspend.count} budgets`,
        `  the leader is killed        ${seconds(afterDeath)} (target: 10 s), ${afterDeath.count} budgets`,
      ],
      figures: {
        budget_overspend_s: overspend.max,
        budget_overspend_median_s: overspend.median,
        budget_overspend_killed_s: afterDeath.max,
      },
    }
  },
}

const board: Part = {
  name: 'board',
  full: true,
  estimateS: 60,
  async run({ rounds }) {
    const { first, page } = await withSystem({ workers: 0 }, (system) => benchBoard(system, rounds))
    return {
      lines: [
        `Leaderboard of ${boardTeams} teams with ${entriesOfTeam} entries each, for a visitor`,
        `  a page                      p50 ${ms(page.median)}, p95 ${ms(page.p95)} (target: 100 ms)`,
        `  the first page after a score  p50 ${ms(first.median)}, at most ${ms(first.max)}`,
      ],
      figures: {
        board_page_p50_ms: page.median,
        board_page_p95_ms: page.p95,
        board_first_page_max_ms: first.max,
      },
    }
  },
}

export const fullParts: readonly Part[] = [
  diagnosis,
  directDispatch,
  manyLines,
  manyJobs,
  jobList,
  largeQueue,
  jobSearch,
  directories,
  manyPoints,
  groups,
  autoresearch,
  budget,
  board,
]
