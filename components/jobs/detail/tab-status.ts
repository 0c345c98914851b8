import { useEffect } from 'react'
import { type JobState, tabTitle } from '../job-status'

/** Shows the state of a job in the title and the icon of its browser tab. */
export function useTabStatus(state: JobState, title: string): void {
  useEffect(() => {
    // The next page sets its own title.
    document.title = `${tabTitle(state, title)} · gpuq`
  }, [state, title])
  useEffect(() => {
    const icons = [...document.querySelectorAll<HTMLLinkElement>('link[rel="icon"]')]
    const before = icons.map((icon) => icon.getAttribute('href'))
    for (const icon of icons) icon.href = stateIcon(state)
    return () => {
      for (const [at, icon] of icons.entries()) icon.href = before[at] ?? '/icon.svg'
    }
  }, [state])
}

/** Drawn in a square of 32 units. Both a colour and a shape for each state, because colours alone are hard to tell apart. */
const badges: Record<JobState, { colour: string; mark: string }> = {
  pending: { colour: '#6b6b76', mark: 'M21 17v4.5l3 1.5' },
  starting: { colour: '#1f6fb2', mark: 'M18.5 16l6 5-6 5z' },
  paused: { colour: '#9a6400', mark: 'M18.5 17v8m5-8v8' },
  running: { colour: '#1f6fb2', mark: 'M18.5 16l6 5-6 5z' },
  cancelling: { colour: '#9a6400', mark: 'M16.5 21h9' },
  completed: { colour: '#1a7f4b', mark: 'M16.5 21.5l3.5 3.5 5.5-7' },
  failed: { colour: '#c0312f', mark: 'M17.5 17.5l7 7m0-7l-7 7' },
  cancelled: { colour: '#6b6b76', mark: 'M16.5 21h9' },
}

/** The icon of gpuq with a badge, as an address. */
function stateIcon(state: JobState): string {
  const { colour, mark } = badges[state]
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#5252d8"/><path fill="#fff" d="M5 6h18v4H5zM5 13h8v4H5zM5 20h4v4H5z"/><circle cx="21" cy="21" r="11" fill="${colour}"/><path d="${mark}" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}
