import { Box } from 'lucide-react'
import { expect, it } from 'vitest'
import { type Command, findCommands } from './command'

const command = (group: Command['group'], label: string, more: Partial<Command> = {}): Command => ({
  id: label,
  group,
  label,
  icon: Box,
  run: () => {},
  ...more,
})

const commands = [
  command('Pages', 'All jobs'),
  command('Pages', 'Jobs'),
  command('Actions', 'Sign out', { words: 'log off' }),
  command('Jobs', 'baseline', { hint: 'resnet', words: '01931111-0000-7000-8000-000000000001' }),
]

const find = (text: string) => findCommands(commands, text).map(({ label }) => label)

it.each([
  ['', ['baseline', 'All jobs', 'Jobs', 'Sign out']],
  ['jobs', ['Jobs', 'All jobs']],
  ['  OUT sign ', ['Sign out']],
  ['log off', ['Sign out']],
  ['resnet base', ['baseline']],
  ['00000001', ['baseline']],
  ['nothing', []],
])('finds the commands for "%s"', (text, found) => {
  expect(find(text)).toEqual(found)
})

it('shows what the server found without another search', () => {
  const found = [command('Jobs', 'a job', { found: true })]
  expect(findCommands(found, 'tag:v2')).toEqual(found)
})
