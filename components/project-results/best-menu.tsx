import { Trophy } from 'lucide-react'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { Button } from '../ui/button'
import { DropdownMenu, MenuCheckbox, MenuLabel } from '../ui/dropdown-menu'
import { bestIn, type ResultsView } from './results-view'

interface BestMenuProps {
  metrics: readonly string[]
  view: Pick<ResultsView, 'best'>
  onBest: (best: ResultsView['best']) => void
}

/** Chooses which value of each metric is the best. */
export function BestMenu({ metrics, view, onBest }: BestMenuProps) {
  const compared = metrics.filter((name) => bestIn(view, name) !== null)
  if (compared.length === 0) return null
  return (
    <DropdownMenu className="w-60" trigger={<Button icon={Trophy}>Best</Button>}>
      <MenuLabel>The lowest value is the best</MenuLabel>
      {compared.map((name) => (
        <MenuCheckbox
          key={name}
          checked={bestIn(view, name) === 'lowest'}
          onCheckedChange={(checked) =>
            onBest(new Map([...view.best, [name, checked ? 'lowest' : 'highest'] as const]))
          }
        >
          {visibleText(name, 60)}
        </MenuCheckbox>
      ))}
    </DropdownMenu>
  )
}
