import { ArrowDownToLine, Braces, Clock, Copy, Download, Link2, WrapText } from 'lucide-react'
import { shortcutText } from '@/components/shell/shortcuts/shortcut-keys'
import { outputShortcuts } from '@/components/shell/shortcuts/shortcut-table'
import { DropdownMenu, MenuItem } from '@/components/ui/dropdown-menu'
import { IconButton } from '@/components/ui/icon-button'
import { Segmented } from '@/components/ui/segmented'
import { Select } from '@/components/ui/select'
import { filterOf, hideJson, type LineFilter, partsOf, type Stream, withoutJson } from './line'
import type { Follow } from './use-follow'

const filters = [
  { value: 'all', label: 'All' },
  { value: 'stdout', label: 'stdout' },
  { value: 'stderr', label: 'stderr' },
] as const satisfies readonly { value: Stream; label: string }[]

/** The view options of the output. */
export interface OutputOptions {
  filter: LineFilter
  /** Wraps long lines. */
  wrap: boolean
  times: boolean
}

export interface OutputDownload {
  label: string
  href: string
}

interface OutputToolbarProps {
  options: OutputOptions
  onOptions: (change: Partial<OutputOptions>) => void
  follow: Follow
  /** The ranks with output; empty for a job with one task. */
  ranks: readonly number[]
  downloads: readonly OutputDownload[]
  hasSelection: boolean
  onCopy: (what: 'all' | 'selected' | 'link') => void
}

/** View options, copy and download. */
export function OutputToolbar(props: OutputToolbarProps) {
  const { options, onOptions, follow, ranks, downloads } = props
  const { stream: shown, rank } = partsOf(options.filter)
  const { stream, hidesJson } = withoutJson(shown)
  return (
    <div className="flex flex-wrap items-center gap-0.5 sm:gap-1">
      {ranks.length > 0 ? (
        <Select
          aria-label="Rank"
          value={rank === null ? 'all' : String(rank)}
          onValueChange={(selected) =>
            onOptions({ filter: filterOf(shown, selected === 'all' ? null : Number(selected)) })
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
        onValueChange={(selected) => onOptions({ filter: filterOf(hideJson(selected, hidesJson), rank) })}
        options={filters}
        className="sm:mr-1"
      />
      <IconButton
        icon={Braces}
        label="Hide lines of JSON"
        pressed={hidesJson}
        // Only stdout has such lines.
        disabled={stream === 'stderr'}
        onClick={() => onOptions({ filter: filterOf(hideJson(stream, !hidesJson), rank) })}
      />
      <IconButton
        icon={WrapText}
        label={outputShortcuts.wrap.label}
        shortcut={shortcutText(outputShortcuts.wrap)}
        pressed={options.wrap}
        onClick={() => onOptions({ wrap: !options.wrap })}
      />
      <IconButton
        icon={Clock}
        label={outputShortcuts.times.label}
        shortcut={shortcutText(outputShortcuts.times)}
        pressed={options.times}
        onClick={() => onOptions({ times: !options.times })}
      />
      <IconButton
        icon={ArrowDownToLine}
        label={outputShortcuts.follow.label}
        shortcut={shortcutText(outputShortcuts.follow)}
        pressed={follow.following}
        onClick={follow.following ? follow.stop : follow.start}
      />
      <CopyMenu {...props} />
      {downloads.length > 0 ? <DownloadMenu downloads={downloads} /> : null}
    </div>
  )
}

function CopyMenu({ hasSelection, onCopy }: Pick<OutputToolbarProps, 'hasSelection' | 'onCopy'>) {
  return (
    <DropdownMenu trigger={<IconButton icon={Copy} label="Copy" />}>
      <MenuItem icon={Copy} onSelect={() => onCopy('all')}>
        Copy all lines
      </MenuItem>
      <MenuItem icon={Copy} disabled={!hasSelection} onSelect={() => onCopy('selected')}>
        Copy selected lines
      </MenuItem>
      <MenuItem icon={Link2} disabled={!hasSelection} onSelect={() => onCopy('link')}>
        Copy link to selected lines
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
