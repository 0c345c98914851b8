import 'uplot/dist/uPlot.min.css'
import { type ReactNode, useMemo, useState } from 'react'
import type { GroupDetail, GroupMember } from '@/lib/groups/contract'
import { ResultChart } from '../../jobs/result/result-chart'
import { Panel, PanelBody, PanelHeader } from '../../ui/panel'
import { Select } from '../../ui/select'
import { metricsOf } from '../member-columns'
import { bestSoFar } from './best-so-far'
import { axesOf, withMetric } from './drawn-members'
import { ImportanceBars } from './importance-bars'
import { ParallelCoordinates } from './parallel-coordinates'
import { Scatter } from './scatter'

interface GroupChartsProps {
  group: GroupDetail
  members: readonly GroupMember[]
}

/** What the members teach: a parameter against a metric, all parameters at once, their importance, and the best so far. */
export function GroupCharts({ group, members }: GroupChartsProps) {
  const metrics = useMemo(() => metricsOf(members, group.objective), [members, group.objective])
  const [chosenMetric, setMetric] = useState<string | null>(null)
  const [chosenParameter, setParameter] = useState<string | null>(null)
  const metric = metrics.find((name) => name === chosenMetric) ?? metrics[0]
  const parameters = useMemo(() => axesOf(group, members), [group, members])
  const parameter = parameters.find((name) => name === chosenParameter) ?? parameters[0]
  const drawn = useMemo(() => (metric === undefined ? [] : withMetric(members, metric)), [members, metric])
  const { objective, gpus } = group
  const progress = useMemo(
    () => (objective ? bestSoFar(members, { ...objective, gpus }) : null),
    [members, objective, gpus],
  )
  if (metric === undefined || drawn.length < 2) return null
  const options = (names: readonly string[]) => names.map((name) => ({ value: name, label: name }))
  return (
    <div className="grid min-w-0 gap-4 xl:grid-cols-2">
      {parameter === undefined ? null : (
        <>
          <Chart
            title={`${metric} by ${parameter}`}
            actions={
              <>
                <Select
                  aria-label="Parameter of the chart"
                  className="w-36"
                  value={parameter}
                  onValueChange={setParameter}
                  options={options(parameters)}
                />
                <Select
                  aria-label="Metric of the charts"
                  className="w-36"
                  value={metric}
                  onValueChange={setMetric}
                  options={options(metrics)}
                />
              </>
            }
          >
            <Scatter group={group} drawn={drawn} parameter={parameter} metric={metric} />
          </Chart>
          <Chart title="All parameters">
            <ParallelCoordinates group={group} parameters={parameters} drawn={drawn} metric={metric} />
          </Chart>
          <Chart title={`Importance for ${metric}`}>
            <ImportanceBars parameters={parameters} drawn={drawn} metric={metric} />
          </Chart>
        </>
      )}
      {progress ? (
        <Panel>
          <PanelHeader title={`Best ${objective?.metric} over ${progress.x.name}`} />
          <ResultChart shape={progress} />
        </Panel>
      ) : null}
    </div>
  )
}

function Chart({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <Panel>
      <PanelHeader title={title} actions={actions} />
      <PanelBody>{children}</PanelBody>
    </Panel>
  )
}
