/**
 * Other words for the keys of configs and requests, without style: from other schedulers, from documents of other tools, and from what
 * people write first.
 */
const meanings: Readonly<Record<string, string>> = {
  gpu_count: 'gpu gpus numgpu numgpus ngpu ngpus gpunum gpunumber numberofgpus gpucards',
  gpu_memory_gb: 'vram vramgb gpumem gpumemory gpuram gpumemgb',
  gpu_model: 'gputype gpuname gpukind accelerator acceleratortype',
  gpu_fraction: 'fraction gpushare gpupart',
  allowed_gpus: 'gpuids gpuindices gpulist devices visibledevices cudavisibledevices',
  memory_gb: 'memory mem memgb ram ramgb memorylimit memoryingb',
  cpu: 'cpus numcpu numcpus ncpu ncpus cpucount cores numcores cpucores vcpu vcpus cpulimit',
  instance_count: 'nodes numnodes nnodes nodecount instances numinstances machines replicas',
  max_time: 'timeout timelimit walltime maxruntime maxduration maxseconds runtimelimit',
  expected_time:
    'duration estimate estimatedtime estimateddurationseconds estimatedduration runtime expectedduration',
  estimated_duration_seconds: 'duration estimate estimatedtime expectedtime estimatedduration runtime',
  environment: 'image docker dockerimage container containerimage conda condaenv venv',
  env: 'envs envvars envvariables environmentvariables variables vars',
  args: 'arguments arg argv parameters params scriptargs',
  command: 'cmd run exec shell bash',
  entrypoint: 'script main file program entry mainfile scriptpath',
  project_id: 'project projectname',
  competition_id: 'competition competitionname task',
  user_id: 'user username owner',
  token: 'apitoken accesstoken authtoken apikey',
  name: 'jobname title displayname',
  tags: 'labels label keywords',
  max_retries: 'retries retry maxretry numretries retrycount',
  notify_url: 'webhook webhookurl callback callbackurl notify',
  depends_on: 'dependencies dependency after requires needs waitfor',
  mounts: 'volumes volume datasets',
  working_directory: 'cwd workdir workingdir directory',
  pool: 'partition',
}

/** The key that means what a word says, of the known ones; null: none. @param word without capital letters and separators. */
export function keyOfMeaning(word: string, known: readonly string[]): string | null {
  return known.find((key) => Object.hasOwn(meanings, key) && meanings[key]?.split(' ').includes(word)) ?? null
}
