import * as environments from './advise-environment'
import * as resources from './advise-resources'
import type { CauseId } from './causes'
import type { Finding } from './facts'
import { quoteValue } from './quote-value'
import { isCrash } from './signals'
import { type NextStep, only } from './step'

/** What to change or to do after a failure. */
export function adviseCause(cause: CauseId, finding: Finding): NextStep {
  return steps[cause](finding)
}

const named = ({ subject }: Finding, otherwise: string) =>
  subject === null ? otherwise : quoteValue(subject, 120)
const at = ({ place }: Finding) => (place === null ? '' : ` in ${place}`)
const lookAt = ({ place }: Finding) => (place === null ? 'the lines of the output above the error' : place)

const convertLines =
  "`sed -i 's/\\r$//' FILE` converts a file. gpuq converts a command and the file that it runs, but not the files that these run."
const runAgain = 'Run the job again.'

const steps: Readonly<Record<CauseId, (finding: Finding) => NextStep>> = {
  import_missing: environments.adviseModule,
  import_name: (finding) =>
    only(
      /^AttributeError: Can't get attribute/.test(finding.error ?? '')
        ? `Define or import ${named(finding, 'the name')} in the module that the exception names, before the data is read${at(finding)}: a pickle has only the names of classes and functions.`
        : `Check the version of the module in the environment: it has no ${named(finding, 'such name')}. A file of your directory with the name of the module hides it, too.`,
    ),
  library_missing: (finding) =>
    only(
      `Set environment to one whose image has ${named(finding, 'the library in the right version')}, or use packages that were made for this image.`,
    ),
  command_missing: environments.adviseCommand,
  script_not_run: () =>
    only(
      `Check that the job has the file (\`gpuq run --with-dir\` sends the directory), and that its first line names a program of the image. If its lines end with CR LF, as on Windows, save it with the line ends LF. ${convertLines}`,
    ),
  file_missing: (finding) =>
    only(
      `Send ${named(finding, 'the file')} with the job (\`gpuq run --with-dir\` sends the directory) or mount it, or correct the path${at(finding)}. A relative path starts at the working directory, which is /work for most jobs.`,
    ),
  path_not_in_container: (finding) =>
    only(
      `Replace ${named(finding, 'the path')}${at(finding)}: it is a path of another machine. Send the data in the directory of the job, or as a snapshot (\`gpuq push\`, key mounts), and use the path that it has in the container.`,
    ),
  lfs_pointer: () =>
    only(
      'Run `git lfs pull` in your directory and send it again: a file is only a pointer of Git LFS, and its content was not sent.',
    ),
  bad_data: (finding) =>
    only(
      `Look at the content that is read${at(finding)}: it is not in the expected format. Print its first characters, or check the file that you sent.`,
    ),
  bad_checkpoint: ({ error }) => {
    if (/Weights only load failed/.test(error ?? '')) {
      return only(
        'Pass weights_only=False to torch.load if you trust the checkpoint, or save only the state_dict. Otherwise start without the checkpoint.',
      )
    }
    return only(
      /state_dict|loaded state dict/.test(error ?? '')
        ? 'Build the model as it was when the checkpoint was saved, or start without the checkpoint: its names or sizes of parameters differ.'
        : 'Start without this checkpoint or from an earlier one: the file is empty, cut off or of another format. Write checkpoints to another name first and rename them, so that a stop leaves none half written.',
    )
  },
  windows_lines: () =>
    only(`Save the script with the line ends LF: its lines end with CR LF, as on Windows. ${convertLines}`),
  bash_in_sh: () => ({
    text: 'Make #!/bin/bash the first line of the script or of the command, or run the script with bash: sh does not know features of bash, such as [[, arrays and pipefail.',
    fix: { key: 'shell', value: 'bash' },
  }),
  syntax_error: (finding) =>
    only(
      `Correct ${lookAt(finding)}, or the line before it. If the code is right, the Python or shell of the environment is older than it needs.`,
    ),
  argument_error: () =>
    only(
      'Correct the arguments in the command of the job, or in args of its config. A usage text in the output lists those that the program knows.',
    ),
  call_error: (finding) =>
    only(
      `Compare the call with the parameters of the function${at(finding)}. If it belongs to a library, its version in the environment may have others.`,
    ),
  assertion: (finding) =>
    only(`Find out why the assertion${at(finding)} is not true: print the values that it compares.`),
  shape_mismatch: (finding) =>
    only(
      `Print the shape of both values before ${lookAt(finding)}, and change the layer, the reshape or the batch that does not fit.`,
    ),
  dtype_mismatch: (finding) =>
    only(
      `Convert one of the values to the type of the other before ${lookAt(finding)}, such as with .float(), .long() or .to(dtype).`,
    ),
  device_mismatch: (finding) =>
    only(
      `Move the model and all of its inputs to one device before ${lookAt(finding)}, with .to(device). To NumPy, a tensor goes by .cpu().`,
    ),
  index_out_of_range: (finding) =>
    only(
      /device-side assert/.test(finding.error ?? '')
        ? 'Look for an index that is out of range on the GPU, such as a label that is not less than the number of classes. With CUDA_LAUNCH_BLOCKING=1 in env, the traceback shows the right line.'
        : /^IndexError: (?:[\w ]{1,40} index out of range|\w{1,10} from empty)/.test(finding.error ?? '')
          ? `Compare the index with the length${at(finding)}: the value is shorter than the program expects, or empty.`
          : `Compare the largest index with the size${at(finding)}: labels must be less than the number of classes, and tokens less than the size of the embedding.`,
    ),
  not_finite: (finding) =>
    only(
      finding.place === null
        ? 'Lower the learning rate, clip gradients, or stop at the first step with NaN and look at its batch. Divisions by zero, log(0) and sqrt(0) make NaN.'
        : `Find the first NaN or infinite number that reaches ${finding.place}: check the data for NaN, and the steps before for log(0), sqrt(0) and divisions by zero. A lower learning rate helps if the loss diverged.`,
    ),
  gpu_out_of_memory: resources.adviseGpuMemory,
  gpu_missing: resources.adviseNoGpu,
  gpu_shared: ({ limits }) =>
    only(
      limits?.gpus === 1
        ? 'Start one process on each node: no node of this server has a second GPU.'
        : 'Give each process a GPU of its own: call torch.cuda.set_device with its LOCAL_RANK, and set gpu_count to the number of processes on a node.',
    ),
  gpu_unsupported: () =>
    only(
      'Set environment to one whose PyTorch or CUDA was made for this GPU and its driver, or set gpu_model to a GPU that the environment supports.',
    ),
  gpu_fault: () =>
    only(
      'Run it with CUDA_LAUNCH_BLOCKING=1 in env, so that the traceback shows the right line. compute-sanitizer finds accesses outside of an array.',
    ),
  gpu_defect: () =>
    only(`${runAgain} Tell an admin which node it was: the GPU may need a reset or be defective.`),
  host_out_of_memory: resources.adviseMemory,
  shm_full: resources.adviseSharedMemory,
  disk_full: resources.adviseSpace,
  process_limit: ({ error }) =>
    only(
      /open files|E[MN]FILE/.test(error ?? '')
        ? 'Close files when they are read, or open fewer at once: the number of open files is limited.'
        : 'Start fewer processes and threads, for example with a smaller num_workers or OMP_NUM_THREADS: their number is limited. More cpu raises the limit.',
    ),
  read_only: () =>
    only(
      'Write to /work, /tmp or /results: every other path in the container is read-only. Set the variable of a cache to one of them, such as HF_HOME or XDG_CACHE_HOME.',
    ),
  permission: (finding) =>
    only(
      /^\.{0,2}\//.test(finding.subject ?? '') &&
        /Permission denied$/.test(finding.error ?? '') &&
        !/Error/.test(finding.error ?? '')
        ? `Run it with its interpreter, such as ${quoteValue(`bash ${finding.subject ?? ''}`, 120)}, or make it executable with \`chmod +x\` before you send it.`
        : `Use a path that the job may read and write instead of ${named(finding, 'this one')}: /work, /tmp or /results. A job does not run as root, so system files and operations are closed.`,
    ),
  network: environments.adviseNetwork,
  connection_refused: (finding) =>
    only(
      `Start the server before the program connects${at(finding)}, and check host and port${finding.subject === null ? '' : ` (${named(finding, '')})`}: localhost is the container of the job itself.`,
    ),
  port_in_use: () =>
    only(
      'Choose a free port: bind port 0, or end the earlier server of the same job before it starts again.',
    ),
  credentials: () =>
    only(
      'Give the job its credentials, such as HF_TOKEN or WANDB_API_KEY in env, and check that they are valid and may read this resource. Some models need that you accept their terms first.',
    ),
  distributed: () =>
    only(
      'Look for the rank that failed or never arrived: the others only wait for it. Use the MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE that gpuq sets, start all processes, and let every rank call the same collectives.',
    ),
  data_loader_worker: () =>
    only(
      'Set num_workers=0 once to see the error of the worker itself. If it was killed, it used too much memory: use fewer workers or set memory_gb higher.',
    ),
  no_input: () =>
    only(
      'Pass the value as an argument or in env instead of asking for input. For an interactive job set tty, and type with `gpuq attach`.',
    ),
  no_display: () =>
    only('Write pictures to /results instead: set MPLBACKEND=Agg in env, or run the program headless.'),
  killed_by_signal: ({ subject }) => {
    if (isCrash(subject)) {
      return only(
        `The program crashed in native code (${subject}). Set PYTHONFAULTHANDLER=1 in env to see its line, and check the versions of compiled packages.`,
      )
    }
    const signal = subject ?? 'a signal'
    return only(
      subject === 'SIGKILL'
        ? 'Find out what sent SIGKILL: a process that used too much memory is killed like this. If so, set memory_gb higher.'
        : `Find out what sent ${signal}: gpuq did not stop the job, so the program or one of its own processes did.`,
    )
  },
  exception: adviseException,
  exit_code: adviseExitCode,
  no_result: (finding) => {
    if (/^usage: /i.test(finding.error ?? '')) {
      return only(
        'Give the program the arguments that it needs, in the command of the job or in args of its config: it printed its usage and no result.',
      )
    }
    return only(
      finding.error === null
        ? 'Check that the program does its work: it printed nothing and wrote no file to /results. A condition such as __name__ == "__main__" may be wrong.'
        : `Correct the error${at(finding)} that the program printed, and let it end with an exit code other than 0 after an error.`,
    )
  },
  timeout: resources.adviseTime,
  no_progress: () =>
    only(
      'Let the program use its GPU, for example by more workers that load data, or request no GPU. The policy stops jobs whose GPUs have no load.',
    ),
  output_limit: () => only('Print less, or write long logs to a file in /results.'),
  checkpoint_limit: () => only('Delete old checkpoints while the program runs, or save smaller ones.'),
  quota: () =>
    only(
      'Wait until jobs that use the quota end, cancel some, or request fewer GPUs. An admin can raise the quota.',
    ),
  budget: () =>
    only(
      'See gpuq budget for what is used up. Wait for its next period, ask for a larger budget, or submit to a project or with a token that has GPU hours left.',
    ),
  never_fits: () =>
    only(
      'Submit a smaller request: fewer or other GPUs, or less memory or CPU, as a node of this server has.',
    ),
  dependency_failed: () =>
    only('Look at the job or group in depends_on that did not complete, correct it, and submit both again.'),
  image_missing: () =>
    only('Set environment to another one, or tell an admin that the image of this environment is missing.'),
  slurm_refused: () =>
    only('Change what Slurm names in its message, such as the partition, account or time.'),
  node_lost: () => only(`${runAgain} The program is not the cause. Checkpoints let a next attempt continue.`),
  preempted: () => only(`${runAgain} Checkpoints let it continue where it was stopped.`),
  not_started: () => only(`${runAgain} If it happens again, tell an admin: the program is not the cause.`),
}

function adviseExitCode(finding: Finding): NextStep {
  const { error, subject, job } = finding
  if (subject !== null)
    return only(
      `Set the variable ${named(finding, '')} in env of the config, or give it a default${at(finding)}.`,
    )
  if (error === null)
    return only(
      'Let the program print why it ends: it printed nothing that says so. With `set -x`, a shell prints each command.',
    )
  const code = job.exit_code === null ? '' : ` with code ${job.exit_code}`
  return only(
    `Follow the message of the program, and read the lines above it. If they do not say why it ended${code}, let it print the reason; with \`set -x\`, a shell prints each command.`,
  )
}

/** Exceptions that have no cause of their own. */
function adviseException(finding: Finding): NextStep {
  const error = finding.error ?? ''
  if (/^KeyError/.test(error) && /\benviron\b/.test(finding.code ?? ''))
    return only(
      `Set the variable ${named(finding, '')} in env of the config, or give it a default${at(finding)}.`,
    )
  if (/^KeyError/.test(error)) {
    return only(
      `Check the key ${named(finding, '')}${at(finding)}: print the keys or columns that are there, or use .get() with a default.`,
    )
  }
  if (/^(?:NameError|UnboundLocalError)|\bname '[^']{1,100}' is not defined/.test(error))
    return only(`Define or import ${named(finding, 'the name')} before it is used${at(finding)}.`)
  if (/'?NoneType'?/.test(error)) {
    return only(
      `Check for None${at(finding)}: a call before it returned nothing, such as a search without a match or a function without return.`,
    )
  }
  if (/^RecursionError/.test(error))
    return only(`End the recursion${at(finding)}: no case returns without calling the function again.`)
  if (/\bCalledProcessError\b/.test(error)) {
    return only(
      `Read what the program that was started${at(finding)} printed, above the exception, and correct that. If its output is captured, print it.`,
    )
  }
  if (/\b(?:BrokenProcessPool|TerminatedWorkerError|ProcessExitedException)\b/.test(error)) {
    return only(
      `Find out why a worker process of the pool${at(finding)} died: run the work in one process to see its error, and use fewer processes or more memory_gb if it was killed.`,
    )
  }
  if (/attempt has been made to start a new process/.test(error))
    return only(
      `Start processes${at(finding)} only below \`if __name__ == "__main__":\`, because each new process imports the file again.`,
    )
  const parameter = /\b[a-z]\w{1,40}=(?:True|False|None|'\w{1,40}')/.exec(error)?.[0]
  const hint =
    parameter === undefined ? '' : ` It names a parameter that you may change: ${quoteValue(parameter, 80)}.`
  return only(
    `Correct ${lookAt(finding)}: the exception says what is wrong, and the lines above it who called.${hint}`,
  )
}
