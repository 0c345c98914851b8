'use client'

import { ArrowDownToLine, Clock, Copy, Download, Link2, WrapText } from 'lucide-react'
import { DropdownMenu, MenuItem } from '@/components/ui/dropdown-menu'
import { IconButton } from '@/components/ui/icon-button'
import { Segmented } from '@/components/ui/segmented'
import { Select } from '@/components/ui/select'
import { filterOf, partsOf, type StreamFilter } from './line'
import type { OutputOptions } from './output-options'
import type { Follow } from './use-follow'

const filters = [
  { value: 'all', label: 'All' },
  { value: 'stdout', label: 'stdout' },
  { value: 'stderr', label: 'stderr' },
] as const satisfies readonly { value: StreamFilter; label: string }[]

export interface OutputDownload {
  label: string
  href: string
}

interface OutputToolbarProps {
  options: OutputOptions
  onOptions: (change: Partial<OutputOptions>) => void
  follow: Follow
  /** The tasks whose lines are there; none for a job with one task. */
  ranks: readonly number[]
  downloads: readonly OutputDownload[]
  /** Whether lines are chosen, so that they can be copied. */
  hasChosen: boolean
  onCopy: (what: 'all' | 'chosen' | 'link') => void
}

/** How the output is shown, and what can be taken from it. */
export function OutputToolbar(props: OutputToolbarProps) {
  const { options, onOptions, follow, ranks, downloads } = props
  const { stream, rank } = partsOf(options.filter)
  return (
    <div className="flex flex-wrap items-center gap-1">
      {ranks.length > 0 ? (
        <Select
          aria-label="Rank"
          value={rank === null ? 'all' : String(rank)}
          onValueChange={(chosen) =>
            onOptions({ filter: filterOf(stream, chosen === 'all' ? null : Number(chosen)) })
          }
          options={[
            { value: 'all', label: 'All ranks' },
            ...ranks.map((of) => ({ value: String(of), label: `Rank ${of}` })),
          ]}
          className="mr-1 w-28"
        />
      ) : null}
      <Segmented
        label="Stream"
        value={stream}
        onValueChange={(chosen) => onOptions({ filter: filterOf(chosen, rank) })}
        options={filters}
        className="mr-1"
      />
      <IconButton
        icon={WrapText}
        label="Wrap long lines"
        shortcut="W"
        pressed={options.wrap}
        onClick={() => onOptions({ wrap: !options.wrap })}
      />
      <IconButton
        icon={Clock}
        label="Show times"
        shortcut="T"
        pressed={options.times}
        onClick={() => onOptions({ times: !options.times })}
      />
      <IconButton
        icon={ArrowDownToLine}
        label="Follow the end"
        shortcut="F"
        pressed={follow.following}
        onClick={follow.following ? follow.stop : follow.start}
      />
      <CopyMenu {...props} />
      {downloads.length > 0 ? <DownloadMenu downloads={downloads} /> : null}
    </div>
  )
}

function CopyMenu({ hasChosen, onCopy }: Pick<OutputToolbarProps, 'hasChosen' | 'onCopy'>) {
  return (
    <DropdownMenu trigger={<IconButton icon={Copy} label="Copy" />}>
      <MenuItem icon={Copy} onSelect={() => onCopy('all')}>
        Copy all lines
      </MenuItem>
      <MenuItem icon={Copy} disabled={!hasChosen} onSelect={() => onCopy('chosen')}>
        Copy chosen lines
      </MenuItem>
      <MenuItem icon={Link2} disabled={!hasChosen} onSelect={() => onCopy('link')}>
        Copy link to chosen lines
      </MenuItem>
    </DropdownMenu>
  )
}

function DownloadMenu({ downloads }: { downloads: readonly OutputDownload[] }) {
  return (
    <DropdownMenu trigger={<IconButton icon={Download} label="Download" />}>
      {downloads.map(({ label, href }) => (
        <MenuItem key={href} icon={Download} href={href} download>
          {label}
        </MenuItem>
      ))}
    </DropdownMenu>
  )
}
