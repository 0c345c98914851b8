import type { Metadata } from 'next'
import { DocumentPageView, documentMetadata } from '../../document-page'

type Props = { params: Promise<{ page: string; section: string }> }

async function hrefOf(params: Props['params']): Promise<string> {
  const { page, section } = await params
  return `/docs/${page}/${section}`
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return documentMetadata(await hrefOf(params))
}

export default async function SectionPage({ params }: Props) {
  return <DocumentPageView href={await hrefOf(params)} />
}
