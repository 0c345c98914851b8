import type { Metadata } from 'next'
import { DocumentPageView, documentMetadata } from '../document-page'

type Props = { params: Promise<{ page: string }> }

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return documentMetadata(`/docs/${(await params).page}`)
}

export default async function DocumentPage({ params }: Props) {
  return <DocumentPageView href={`/docs/${(await params).page}`} />
}
