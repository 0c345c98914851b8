import { ListSkeleton } from '@/components/shell/list-skeleton'

export default function TokensLoading() {
  return <ListSkeleton />
}
