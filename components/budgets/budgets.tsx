'use client'

import { useQuery } from '@tanstack/react-query'
import type { Budget } from '@/lib/budgets/contract'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { type BudgetsOf, budgetsQuery } from './queries'

/** What is used and left of the budgets of a job, a project or the user. Nothing without a budget. */
export function Budgets(of: BudgetsOf) {
  const { data = [] } = useQuery(budgetsQuery(of))
  if (data.length === 0) return null
  return (
    <Panel>
      <PanelHeader title="Budgets of GPU hours" />
      <PanelBody>
        <BudgetList budgets={data} />
      </PanelBody>
    </Panel>
  )
}

/** What is used and left of the user's own budget, which limits their jobs in every project. Nothing without one. */
export function UserBudgets() {
  const { data = [] } = useQuery(budgetsQuery({}))
  const own = data.filter(({ kind }) => kind === 'user')
  if (own.length === 0) return null
  return (
    <div className="mt-3 border-t pt-3">
      <p className="text-muted text-sm">Your jobs in all projects</p>
      <BudgetList budgets={own} />
    </div>
  )
}

function BudgetList({ budgets }: { budgets: readonly Budget[] }) {
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {budgets.map(({ owner_id, period, label, sentence }) => (
        <li key={`${owner_id} ${period}`} className="wrap-anywhere">
          {label}: {sentence}
        </li>
      ))}
    </ul>
  )
}
