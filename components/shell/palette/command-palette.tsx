import { Search } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import type { EngineName } from '@/lib/contract/cluster/engine'
import type { JobDetail } from '@/lib/contract/jobs'
import { CancelDialog } from '../../jobs/cancel-dialog'
import { cn } from '../../ui/class-names'
import { dialogOverlay, dialogPanel } from '../../ui/dialog-styles'
import { type Command, findCommands } from './command'
import { CommandList } from './command-list'
import { takeEarlyKeys } from './early-keys'
import { useGroupCommands } from './feature-commands'
import { useJobCommands, useOpenJobCommands } from './job-commands'
import { useSiteCommands } from './site-commands'

interface CommandPaletteProps {
  admin: boolean
  /** The engine: gpuq itself, or another one. */
  engine: EngineName
  onHelp: () => void
  onClose: () => void
}

/** Finds pages, jobs, groups and actions by their names. The focus stays in its text field; the arrow keys select. */
export function CommandPalette({ onClose, ...site }: CommandPaletteProps) {
  const id = useId()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const [cancelling, setCancelling] = useState<JobDetail | null>(null)
  const jobs = useJobCommands(text)
  const groups = useGroupCommands(text)
  const commands = [
    ...useOpenJobCommands(setCancelling),
    // An id that is no job's in the list can be that of a group.
    ...jobs.commands.filter(({ id: job }) => !groups.some((group) => group.id === job)),
    ...groups,
    ...useSiteCommands(site),
  ]
  const found = findCommands(commands, text)
  const opener = useRef<Element | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const run = (command: Command) => {
    if (!command.asks) onClose()
    command.run()
  }
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && found.length > 0) {
      setActive((active + step + found.length) % found.length)
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      const command = found[active]
      if (command) run(command)
    } else return
    event.preventDefault()
  }
  if (cancelling) {
    const { job_id, started_at } = cancelling
    return <CancelDialog job={{ job_id, hasStarted: started_at !== null }} onClose={onClose} />
  }
  return (
    <Radix.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className={dialogOverlay} />
        <Radix.Content
          className={cn(dialogPanel, 'max-w-xl')}
          aria-describedby={undefined}
          onOpenAutoFocus={() => {
            opener.current = document.activeElement
            const typed = takeEarlyKeys()
            setText(typed)
            // At once, so that the next key is added to it.
            if (field.current) field.current.value = typed
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (opener.current instanceof HTMLElement) opener.current.focus()
          }}
        >
          <Radix.Title className="sr-only">Command palette</Radix.Title>
          <div className="relative border-b">
            <Search
              aria-hidden
              className="pointer-events-none absolute top-1/2 left-4 size-4 -translate-y-1/2 text-subtle"
            />
            <input
              ref={field}
              role="combobox"
              aria-label="Search pages, jobs, groups and actions"
              placeholder="Search pages, jobs, groups and actions"
              aria-expanded={found.length > 0}
              aria-controls={`${id}-list`}
              aria-activedescendant={found[active] ? `${id}-${active}` : undefined}
              aria-autocomplete="list"
              autoCapitalize="none"
              autoComplete="off"
              spellCheck={false}
              value={text}
              onChange={(event) => {
                setText(event.target.value)
                setActive(0)
              }}
              onKeyDown={move}
              className="h-12 w-full bg-transparent pr-4 pl-11 text-base text-ink placeholder:text-subtle focus-visible:-outline-offset-2"
            />
          </div>
          <CommandList id={id} commands={found} active={active} onActive={setActive} onRun={run} />
          <p
            role="status"
            className={found.length > 0 ? 'sr-only' : 'px-4 py-8 text-center text-muted text-sm'}
          >
            {found.length > 0 ? '' : (jobs.problem ?? 'No page, action, job or group matches.')}
          </p>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
