import { expect, it } from 'vitest'
import type { GroupMember } from './contract'
import { membersToCsv } from './contract-csv'

const member: GroupMember = {
  index: 0,
  job_id: '01931111-0000-7000-8000-000000000001',
  has_job: true,
  parameters: { lr: 0.1, opt: '=sum(1,2)' },
  existing: false,
  repeat: 0,
  status: 'completed',
  reason_text: null,
  exit_code: 0,
  gpus: 1,
  objective: -0.5,
  metrics: { loss: -0.5 },
  not_finite: [],
  started_at: '2026-11-22T10:00:00.000Z',
  ended_at: '2026-11-22T10:05:00.000Z',
}

it('members as CSV have a column for each parameter and metric, numbers stay numbers, a value that is not finite is NaN, and no text is a formula', () => {
  const held: GroupMember = {
    ...member,
    index: 1,
    status: 'held',
    exit_code: null,
    metrics: {},
    not_finite: ['loss'],
    started_at: null,
    ended_at: null,
  }
  expect(membersToCsv([member, held], ['lr', 'opt']).split('\r\n')).toEqual([
    'member,lr,opt,repeat,status,loss,run_seconds,job_id',
    `0,0.1,"'=sum(1,2)",0,completed,-0.5,300,${member.job_id}`,
    `1,0.1,"'=sum(1,2)",0,held,NaN,,${member.job_id}`,
    '',
  ])
})
