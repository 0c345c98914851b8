import { expect, it } from 'vitest'
import { networkProgramsOf } from './network-programs'

it.each([
  ['pip install torch', ['pip']],
  ['/usr/bin/pip3.11 download torch', ['pip']],
  ['python -m pip install torch && python /abs/x.py', ['pip']],
  ['conda env create -f /abs/env.yaml', ['conda']],
  ['apt-get update && apt-get install -y git', ['apt-get']],
  ['git -C /work clone https://example.org/a.git', ['git']],
  ['bash -c "wget https://example.org/a | tar x"; curl https://example.org', ['wget', 'curl']],
  ['HF_HOME=/tmp huggingface-cli download gpt2', ['huggingface-cli']],
])('%s needs the internet', (command, programs) => {
  expect(networkProgramsOf(command)).toEqual(programs)
})

it.each([
  'pip list',
  'conda run -n base python /abs/x.py',
  'git log',
  'echo pip install',
  'python /abs/x.py -m pip install',
])('%s does not', (command) => {
  expect(networkProgramsOf(command)).toEqual([])
})
