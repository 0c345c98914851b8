import 'uplot/dist/uPlot.min.css'
import { Download, Image, Maximize2, Minimize2 } from 'lucide-react'
import { memo, useRef, useState } from 'react'
import { useJobApi } from '@/components/queries/job-api'
import { cn } from '@/components/ui/class-names'
import { DropdownMenu, MenuItem } from '@/components/ui/dropdown-menu'
import { IconButton } from '@/components/ui/icon-button'
import { showText } from '../jobs/result/json-text'
import type { ChartCursor } from './chart-cursor'
import type { Range } from './chart-settings'
import { ChartSlider } from './chart-slider'
import { CursorValues } from './cursor-values'
import { exportPng } from './export-png'
import type { MetricLine } from './plot-data'
import { useMetricPlot } from './use-metric-plot'

export interface MetricPanelProps {
  name: string
  /** The x axis. */
  x: string
  /** The metric of each job that has it, or its mean in each group of jobs. */
  lines: readonly MetricLine[]
  /** The jobs that have the metric. */
  jobs: readonly Pick<MetricLine, 'id' | 'label'>[]
  /** Shared by all charts of the page. */
  cursor: ChartCursor
  smoothing: number
  logarithmic: boolean
  ignoreOutliers: boolean
  /** The shown part of the x axis; null: all of it. */
  zoom: Range | null
  onZoom: (range: Range | null) => void
}

/** A chart of one metric. A move of the cursor renders only the values and the slider. */
export const MetricPanel = memo(function MetricPanel(props: MetricPanelProps) {
  const { name, x, lines, jobs, cursor, smoothing, logarithmic, ignoreOutliers, zoom, onZoom } = props
  const jobApi = useJobApi()
  const host = useRef<HTMLDivElement>(null)
  const [large, setLarge] = useState(false)
  const plot = useMetricPlot(host, lines, {
    cursor,
    smoothing,
    logarithmic,
    ignoreOutliers,
    range: zoom,
    onZoom,
  })
  const title = showText(name)
  return (
    <li className={cn('flex min-w-0 flex-col rounded-lg border bg-surface', large && 'col-span-full')}>
      <header className="flex min-h-9 items-center gap-2 pt-1 pr-1.5 pl-3">
        <h3 className="min-w-0 flex-1 truncate font-medium text-ink text-sm" title={title}>
          {title}
        </h3>
        <IconButton
          icon={large ? Minimize2 : Maximize2}
          label={`Enlarge ${title}`}
          pressed={large}
          size="sm"
          onClick={() => setLarge(!large)}
        />
        <DropdownMenu trigger={<IconButton icon={Download} label={`Export ${title}`} size="sm" />}>
          <MenuItem
            icon={Image}
            onSelect={() => {
              const canvas = host.current?.querySelector('canvas')
              if (canvas) exportPng(canvas, title, lines)
            }}
          >
            PNG of this chart
          </MenuItem>
          {jobs.map(({ id, label }) => (
            <MenuItem key={id} icon={Download} href={jobApi.metricsCsvUrl(id, csvNames(x, name))} download>
              {jobs.length > 1 ? `CSV of ${label}` : 'CSV of all values'}
            </MenuItem>
          ))}
        </DropdownMenu>
      </header>
      <CursorValues x={x} lines={lines} cursor={cursor} zoom={zoom} />
      <ChartSlider
        host={host}
        plot={plot}
        title={title}
        x={x}
        lines={lines}
        cursor={cursor}
        zoom={zoom}
        onZoom={onZoom}
        className={large ? 'h-[min(30rem,70vh)]' : 'h-48'}
      />
    </li>
  )
})

/** A counter is a metric too. The line and the time are always in the file. */
function csvNames(x: string, name: string): string[] {
  return x === 'line' || x === 'time' ? [name] : [x, name]
}
