import { Search, ZoomOut } from 'lucide-react'
import { useId } from 'react'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { Select } from '@/components/ui/select'
import { Switch } from '@/components/ui/switch'
import { showText } from '../jobs/result/json-text'
import { type ChartSettings, maxSearchLength, maxSmoothing } from './chart-settings'

interface MetricsToolbarProps {
  settings: ChartSettings
  axes: readonly string[]
  x: string
  onChange: (change: Partial<ChartSettings>) => void
}

const axisLabels: Record<string, string> = { line: 'Line number', time: 'Time in seconds' }

/** The settings of all charts. */
export function MetricsToolbar({ settings, axes, x, onChange }: MetricsToolbarProps) {
  const smoothingId = useId()
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div className="w-56 max-sm:w-full">
        <Input
          icon={Search}
          type="search"
          aria-label="Find metrics"
          placeholder="Find metrics"
          value={settings.search}
          maxLength={maxSearchLength}
          onChange={(event) => onChange({ search: event.target.value })}
        />
      </div>
      <span className="flex items-center gap-2 text-muted text-sm">
        <span aria-hidden>X axis</span>
        <Select
          aria-label="X axis"
          className="w-40"
          value={x}
          onValueChange={(axis) => onChange({ x: axis })}
          options={axes.map((axis) => ({ value: axis, label: axisLabels[axis] ?? showText(axis) }))}
        />
      </span>
      <span className="flex items-center gap-2 text-muted text-sm">
        <label htmlFor={smoothingId}>Smoothing</label>
        <input
          id={smoothingId}
          type="range"
          min={0}
          max={maxSmoothing}
          step={0.01}
          value={settings.smoothing}
          onChange={(event) => onChange({ smoothing: Number(event.target.value) })}
          className="h-6 w-28"
        />
        <span className="w-8 text-xs tabular-nums">{settings.smoothing.toFixed(2)}</span>
      </span>
      <Switch
        label="Logarithmic axis"
        checked={settings.logarithmic}
        onCheckedChange={(logarithmic) => onChange({ logarithmic })}
      />
      <Switch
        label="Ignore outliers"
        checked={settings.ignoreOutliers}
        onCheckedChange={(ignoreOutliers) => onChange({ ignoreOutliers })}
      />
      {settings.zoom ? (
        <Button size="sm" icon={ZoomOut} onClick={() => onChange({ zoom: null })}>
          Reset zoom
        </Button>
      ) : (
        <span className="text-subtle text-xs pointer-coarse:hidden">Drag in a chart to zoom.</span>
      )}
    </div>
  )
}
