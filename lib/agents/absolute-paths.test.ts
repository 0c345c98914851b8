import { describe, expect, it } from 'vitest'
import { checkAbsolutePaths } from './absolute-paths'

describe('commands with absolute paths only', () => {
  it.each([
    'sh /workspace/experiments/train_bert.sh',
    'bash /workspace/gpt/launch.sh --epochs 10 --batch-size 32',
    'sh /abs/x.sh --epochs 10',
    'sh -ex /abs/train.sh > /abs/train.log 2>&1',
    '/abs/bin/train --lr=1e-4 --resume',
    'python -u -W ignore /abs/train.py --data=/abs/data --ratio 1/2',
    'python3.11 -m torch.distributed.run --nproc_per_node 8 /abs/train.py',
    'torchrun --nnodes 1 -m package.train',
    'python -c "import a; print(\'x/y.py\')"',
    'cd /abs && /abs/run.sh; cd - && cd',
    'CUDA_LAUNCH_BLOCKING=1 HF_HOME=/abs/cache PYTHONPATH=/abs/a:/abs/b nohup sh /abs/x.sh &',
    'sh "$GPUQ_WORKSPACE/train.sh"',
    'sh $(dirname /abs/a)/train.sh',
    'env A=1 timeout 10m sh /abs/x.sh',
    'python /abs/a.py --model meta-llama/Llama-3-8B --dataset=org/name-1.5',
    'git clone https://example.org/a/b.git /abs/b && python /abs/b/x.py s3://bucket/key',
    'bash -lc "cd /abs && python /abs/x.py | tee /abs/log.txt"',
    '. /abs/venv/bin/activate && source /abs/env.sh',
    'for i in 1 2 3; do sh /abs/x.sh $i; done # and a/comment.txt',
    'nvidia-smi',
    'echo "loss and accuracy: a / b"',
    'sh </abs/x.sh >&2 2>&-',
  ])('%s', (command) => {
    expect(checkAbsolutePaths(command)).toEqual({ ok: true })
  })
})

describe('commands with a relative path', () => {
  it.each([
    ['sh train.sh', 'train.sh'],
    ['sh run', 'run'],
    ['bash -e -o pipefail scripts/train.sh', 'scripts/train.sh'],
    ['./x', './x'],
    ['../x', '../x'],
    ['train.sh --epochs 3', 'train.sh'],
    ['scripts/train.sh', 'scripts/train.sh'],
    ['python a/b.py', 'a/b.py'],
    ['python train', 'train'],
    ['python -u train.py', 'train.py'],
    ['nohup python train.py &', 'train.py'],
    ['torchrun --nproc_per_node 8 train.py', 'train.py'],
    ['accelerate launch --config_file=conf/a.yaml /abs/x.py', '--config_file=conf/a.yaml'],
    ['cd dir && sh /abs/x.sh', 'dir'],
    ['cd .. && sh /abs/x.sh', '..'],
    ['cd /abs && sh train.sh', 'train.sh'],
    ['sh /abs/x.sh > out.log', 'out.log'],
    ['sh /abs/x.sh >out&', 'out'],
    ['sh /abs/x.sh &> log', 'log'],
    ['sh < train.sh', 'train.sh'],
    ['sh /abs/x.sh | tee log.txt', 'log.txt'],
    ['python /abs/x.py --data data/train.txt', 'data/train.txt'],
    ['python /abs/x.py --data ./data', './data'],
    ['python /abs/x.py --out results/', 'results/'],
    ['python /abs/x.py ~/data', '~/data'],
    ['python /abs/x.py --config base.yaml', 'base.yaml'],
    ['python /abs/x.py --model models/a/b', 'models/a/b'],
    ['HF_HOME=cache/hf python /abs/x.py', 'HF_HOME=cache/hf'],
    ['PYTHONPATH=/abs:./src python /abs/x.py', 'PYTHONPATH=/abs:./src'],
    ['sh -c "python train.py"', 'train.py'],
    ['bash -lc \'sh -c "./x"\'', './x'],
    ['sh $(cat script.txt)', 'script.txt'],
    ['sh `cat ./script`', './script'],
    ['echo "$(cat ./script)"', './script'],
    ['. env.sh', 'env.sh'],
    ['source venv/bin/activate', 'venv/bin/activate'],
    ['pip install -e .', '.'],
    ['true; if true; then sh train.sh; fi', 'train.sh'],
    ['sh "my dir/train.sh"', 'my dir/train.sh'],
    ['sh tr\\ain.sh', 'train.sh'],
    ['true\nsh train.sh', 'train.sh'],
  ])('%s', (command, word) => {
    expect(checkAbsolutePaths(command)).toMatchObject({
      ok: false,
      word,
      message: expect.stringMatching(/absolute/),
    })
  })

  it.each(["sh '/abs/x.sh", 'sh "/abs', 'sh $(cat /abs/x', 'cat <<EOF\na\nEOF', 'diff <(a) /abs/b'])(
    'a command that cannot be parsed is refused with the cause: %s',
    (command) => {
      expect(checkAbsolutePaths(command)).toMatchObject({ ok: false, word: null })
    },
  )

  it('ends for deeply nested and for very long commands', () => {
    const deep = `${'$('.repeat(2000)}true${')'.repeat(2000)}`
    expect(checkAbsolutePaths(deep)).toMatchObject({ ok: false })
    expect(checkAbsolutePaths(`sh /abs/x.sh ${'$(true) '.repeat(6000)}`)).toEqual({ ok: true })
    expect(checkAbsolutePaths(`sh /abs/x.sh ${'a'.repeat(60_000)}`)).toEqual({ ok: true })
  })
})
