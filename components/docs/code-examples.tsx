'use client'

import { useSyncExternalStore } from 'react'
import { CodeBlock } from '../ui/code-block'
import { Segmented } from '../ui/segmented'

const languages = [
  { value: 'curl', label: 'curl' },
  { value: 'python', label: 'Python' },
  { value: 'javascript', label: 'JavaScript' },
] as const

type Language = (typeof languages)[number]['value']

const storageKey = 'gpuq.docs.language'
const listeners = new Set<() => void>()

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function readLanguage(): Language {
  const stored = localStorage.getItem(storageKey)
  return languages.find(({ value }) => value === stored)?.value ?? 'curl'
}

function chooseLanguage(language: Language): void {
  localStorage.setItem(storageKey, language)
  for (const listener of listeners) listener()
}

interface CodeExamplesProps {
  /** The operation, for screen readers. */
  label: string
  examples: Readonly<Record<Language, string>>
}

/** A request in one of three languages. A choice applies to all examples, and to later visits. */
export function CodeExamples({ label, examples }: CodeExamplesProps) {
  const language = useSyncExternalStore(subscribe, readLanguage, () => 'curl' as const)
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      <Segmented
        label={`Language of the example: ${label}`}
        value={language}
        onValueChange={chooseLanguage}
        options={languages}
      />
      <CodeBlock
        label={`${language} example: ${label}`}
        title={language}
        code={examples[language]}
        className="w-full"
      />
    </div>
  )
}
