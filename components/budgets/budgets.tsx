'use client'

import { useQuery } from '@tanstack/react-query'
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
        <ul className="flex flex-col gap-1 text-sm">
          {data.map((budget) => (
            <li key={`${budget.owner_id} ${budget.period}`} className="wrap-anywhere">
              {budget.label}: {budget.sentence}
            </li>
          ))}
        </ul>
      </PanelBody>
    </Panel>
  )
}
