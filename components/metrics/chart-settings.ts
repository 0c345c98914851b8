import { useSearchParams } from 'next/navigation'
import { useCallback, useEffect, useState } from 'react'
import { updateSearchParams } from '@/components/shell/update-search-params'

export interface ChartSettings {
  search: string
  /** The chosen x axis; null: the best one. */
  x: string | null
  /** From 0 to `maxSmoothing`. */
  smoothing: number
  logarithmic: boolean
  /** The y axis leaves out the few values that are far from the others. */
  ignoreOutliers: boolean
  /** The shown part of the x axis; null: all of it. */
  zoom: Range | null
}

export interface Range {
  from: number
  to: number
}

export const maxSmoothing = 0.99
export const maxSearchLength = 128

/** The settings of the charts that an address has. What it does not name has its first value. */
export function readChartSettings(params: URLSearchParams): ChartSettings {
  const smoothing = Number(params.get('smoothing'))
  return {
    search: (params.get('metric') ?? '').slice(0, maxSearchLength),
    x: params.get('x') || null,
    smoothing: smoothing > 0 ? Math.min(smoothing, maxSmoothing) : 0,
    logarithmic: params.get('log') === '1',
    ignoreOutliers: params.get('outliers') === '0',
    zoom: readZoom(params.get('zoom')),
  }
}

/** The address with these settings. It names only those that differ from the first ones. */
export function withChartSettings(address: URLSearchParams, settings: ChartSettings): URLSearchParams {
  const params = new URLSearchParams(address)
  const set = (name: string, value: string) => (value ? params.set(name, value) : params.delete(name))
  set('metric', settings.search)
  set('x', settings.x ?? '')
  set('smoothing', settings.smoothing > 0 ? String(settings.smoothing) : '')
  set('log', settings.logarithmic ? '1' : '')
  set('outliers', settings.ignoreOutliers ? '0' : '')
  set('zoom', settings.zoom ? [settings.zoom.from, settings.zoom.to].map(shorten).join('..') : '')
  return params
}

function readZoom(text: string | null): Range | null {
  const [from, to, ...more] = (text ?? '')
    .split('..')
    .map((part) => (part === '' ? Number.NaN : Number(part)))
  if (from === undefined || to === undefined || more.length > 0) return null
  return Number.isFinite(from) && Number.isFinite(to) && from < to ? { from, to } : null
}

/** A pixel is a thousandth of a chart, so an address needs no more digits. */
function shorten(value: number): string {
  return String(Number(value.toPrecision(8)))
}

/** Browsers refuse many changes of the address within some seconds. A slider makes many. */
const writeDelayMs = 300

/** The settings of the charts. The address follows them, so that a shared address and a reload show the same charts. */
export function useChartSettings(): [ChartSettings, (change: Partial<ChartSettings>) => void] {
  const address = useSearchParams().toString()
  const [settings, setSettings] = useState(() => readChartSettings(new URLSearchParams(address)))
  useEffect(() => {
    const params = withChartSettings(new URLSearchParams(address), settings)
    if (params.toString() === address) return
    const timer = setTimeout(() => updateSearchParams(params, 'replace'), writeDelayMs)
    return () => clearTimeout(timer)
  }, [address, settings])
  const changeSettings = useCallback((change: Partial<ChartSettings>) => {
    setSettings((before) => ({ ...before, ...change }))
  }, [])
  return [settings, changeSettings]
}
