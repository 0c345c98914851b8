import { describe, expect, it } from 'vitest'
import {
  absolutePathsOf,
  findMissing,
  findRelative,
  findUnwritten,
  relativeNamesOf,
  startPathsOf,
} from './command-paths'

describe('commands whose program, script and directory are absolute', () => {
  it.each([
    'sh /workspace/experiments/train_bert.sh',
    'bash /workspace/gpt/launch.sh --epochs 10 --batch-size 32',
    'sh -ex /abs/train.sh > /abs/train.log 2>&1',
    '/abs/bin/train --lr=1e-4 --resume',
    'python -u -W ignore /abs/train.py --data=/abs/data --ratio 1/2',
    'python /abs/train.py -c config -m model',
    'python3.11 -m torch.distributed.run --nproc_per_node 8 /abs/train.py',
    'torchrun --nnodes 1 -m package.train',
    'python -c "import a; print(\'x/y.py\')"',
    'cd /abs && /abs/run.sh; cd - && cd',
    'CUDA_LAUNCH_BLOCKING=1 HF_HOME=/abs/cache PYTHONPATH=/abs/a:/abs/b nohup sh /abs/x.sh &',
    'sh "$GPUQ_WORKSPACE/train.sh"',
    'sh $(dirname $(readlink -f /abs/a))/train.sh',
    'sh /abs/$((1 + 2))/train.sh',
    'env A=1 timeout 10m sh /abs/x.sh',
    'git clone https://example.org/a/b.git /abs/b && python /abs/b/x.py s3://bucket/key',
    'bash -lc "cd /abs && python /abs/x.py | tee /abs/log.txt"',
    '. /abs/venv/bin/activate && source /abs/env.sh',
    'for i in 1 2 3; do sh /abs/x.sh $i; done # and a/comment.txt',
    'nvidia-smi',
    'cd /abs && sh train.sh',
    'cd "$DIRECTORY" && ./train.sh',
    'echo "loss and accuracy: a / b"',
    'sh </abs/x.sh >&2 2>&-',
    'curl -s https://example.org/x.sh | bash -s -- --yes',
    '#!/bin/bash\nset -euo pipefail\necho "$#"',
    "# don't run ./x; ./y\nnvidia-smi",
  ])('%s', (command) => {
    expect(findRelative(command)).toBeUndefined()
  })
})

describe('a relative program, script or directory', () => {
  it.each([
    ['sh train.sh', 'train.sh'],
    ['sh run', 'run'],
    ['bash -e -o pipefail scripts/train.sh', 'scripts/train.sh'],
    ['./x', './x'],
    ["# don't\n./x", './x'],
    ['echo "# a"; ./x', './x'],
    ["echo '#'; ./x#1", './x#1'],
    ['../x', '../x'],
    ['train.sh --epochs 3', 'train.sh'],
    ['scripts/train.sh', 'scripts/train.sh'],
    ['python a/b.py', 'a/b.py'],
    ['python train', 'train'],
    ['python -u train.py', 'train.py'],
    ['nohup python train.py &', 'train.py'],
    ['torchrun --nproc_per_node 8 train.py', 'train.py'],
    ['python -m torch.distributed.run --nproc_per_node 8 train.py', 'train.py'],
    ['cd dir && sh /abs/x.sh', 'dir'],
    ['cd .. && sh /abs/x.sh', '..'],
    ['sh ~/train.sh', '~/train.sh'],
    ['sh > /abs/log train.sh', 'train.sh'],
    ['sh -c "python train.py"', 'train.py'],
    ['bash -lc \'sh -c "./x"\'', './x'],
    ['. env.sh', 'env.sh'],
    ['source venv/bin/activate', 'venv/bin/activate'],
    ['true; if true; then sh train.sh; fi', 'train.sh'],
    ['sh "my dir/train.sh"', 'my dir/train.sh'],
    ['sh tr\\ain.sh', 'train.sh'],
    ['true\nsh train.sh', 'train.sh'],
  ])('is found in %s', (command, word) => {
    expect(findRelative(command)).toBe(word)
  })
})

describe('words that may be files of the directory where a command starts', () => {
  it.each([
    ['python train.py --lr 0.1 --config=conf/a.yaml', ['train.py', '0.1', 'conf/a.yaml']],
    ['./run.sh ./run.sh', ['./run.sh']],
    ['python -u -m package.train x', ['package.train', 'x', 'package/train.py', 'package/train/__main__.py']],
    ['cd src && python train.py', ['src']],
    ['sh /abs/x.sh ~/a $FILE *.py {lr} -v > out.log', []],
    ['torchrun --nproc_per_node 8 train.py', ['8', 'train.py']],
  ])('%s', (command, names) => {
    expect(relativeNamesOf(command)).toEqual(names)
  })
})

describe('what is not checked', () => {
  it.each([
    'python /abs/x.py --data data/train.txt --config base.yaml',
    'sh /abs/x.sh > out.log',
    'sh /abs/x.sh | tee log.txt',
    'PYTHONPATH=/abs:./src python /abs/x.py',
    'sh $(cat script.txt)',
    'pip install -e .',
    'python - <<EOF\nopen("a/b")\nEOF',
    "sh '/abs/x.sh",
  ])('arguments, redirections, here-documents and broken quotes: %s', (command) => {
    expect(findRelative(command)).toBeUndefined()
  })

  it('deep nesting and long commands end too', () => {
    expect(findRelative(`${'$('.repeat(20_000)}true${')'.repeat(20_000)}`)).toBeUndefined()
    expect(findRelative(`sh /abs/x.sh ${'$(true) '.repeat(6000)}`)).toBeUndefined()
    expect(findRelative(`sh /abs/x.sh ${'a '.repeat(30_000)}`)).toBeUndefined()
    expect(findRelative(`sh /abs/x.sh ${'a'.repeat(60_000)}`)).toBeUndefined()
  })
})

describe('paths that a job will not have', () => {
  it.each([
    ['sh /workspace/train.sh', ['/workspace/train.sh']],
    ['cd /home/ada && /home/ada/run.sh', ['/home/ada', '/home/ada/run.sh']],
    ['sh /data/../etc/x.sh; sh //data//x.sh', ['//data//x.sh']],
    ['sh /workspace/$NAME/train.sh', ['/workspace/$NAME/train.sh']],
  ])('%s', (command, missing) => {
    expect(findMissing(startPathsOf(command), [])).toEqual(missing)
  })

  it.each([
    'sh /work/train.sh',
    '/usr/bin/python3 -c pass',
    '/opt/conda/bin/python /tmp/x.py',
    'cd / && cd /results/$RANK && nvidia-smi',
    'sh $HOME/train.sh',
    'sh /$NAME/train.sh',
  ])('not: %s', (command) => {
    expect(findMissing(startPathsOf(command), [])).toEqual([])
  })

  it('are not those in the directories that the job gets, nor the directories above them', () => {
    const command = 'cd /shared && sh /shared/ada/train.sh && python /data/x.py && sh /datasets/x.sh'
    expect(findMissing(startPathsOf(command), ['/shared/ada', '/data'])).toEqual(['/datasets/x.sh'])
  })

  it.each([
    ['python /work/train.py', ['/work/train.py']],
    ['cd /work && FOO=1 sh /work/train.sh', ['/work/train.sh']],
    ['/tmp/run.sh && sh /work/train.sh', ['/tmp/run.sh']],
    ['git clone https://example.org/a /work/a && sh /work/a/train.sh', []],
    ['sh /opt/prepare.sh && sh /work/train.sh', []],
  ])('include the first program in a directory that is still empty: %s', (command, missing) => {
    expect(findUnwritten(command, [])).toEqual(missing)
    expect(findUnwritten(command, ['/work', '/tmp'])).toEqual([])
  })

  it('are not those of a directory that the job gets below an empty one', () => {
    expect(findUnwritten('sh /tmp/agent/train.sh', ['/tmp/agent'])).toEqual([])
    expect(findUnwritten('sh /tmp/agents/train.sh', ['/tmp/agent'])).toEqual(['/tmp/agents/train.sh'])
  })

  it('may be anywhere in a command', () => {
    const command =
      'HF_HOME=/cache python /work/x.py --data=/data/a --out "/out" http://a.test/b a/b 1/2 >/log/x'
    expect(absolutePathsOf(command)).toEqual(['/cache', '/work/x.py', '/data/a', '/out', '/log/x'])
  })
})
