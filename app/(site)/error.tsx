'use client'

export { SomethingBroke as default } from '@/components/shell/something-broke'
