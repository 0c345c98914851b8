import { expect, it } from 'vitest'
import { groupLabel } from './contract-group-label'

it.each([
  ['tags', 'Tags'],
  ['tag.lr', 'Tag lr'],
  ['config.args.lr', 'Option lr'],
  ['config.gpu_count', 'Config gpu_count'],
])('the group %s is named %s', (by, label) => expect(groupLabel(by)).toBe(label))
