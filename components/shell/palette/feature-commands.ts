import { skipToken, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { paletteSearch } from '../../features'
import { useOnDemand } from '../../ui/on-demand'
import { useOpenPage } from '../connection/use-open-page'
import { type Command, type FoundPage, findCommands, typedId } from './command'

/** Maximum number of entries that fit into a window beside the other groups. */
const shown = 5

const nothing: UseQueryOptions<FoundPage[]> = { queryKey: ['palette'], queryFn: skipToken }

/** The groups of jobs that have the words of a text in their names, and the one with an id. */
export function useGroupCommands(text: string): Command[] {
  const openPage = useOpenPage()
  const search = useOnDemand(paletteSearch, true)
  const { data = [] } = useQuery<FoundPage[]>(search === null ? nothing : search.foundQuery(typedId(text)))
  const commands = data.map(
    ({ path, ...page }): Command => ({ ...page, group: 'Groups', run: () => openPage(path) }),
  )
  return findCommands(commands, text).slice(0, shown)
}
