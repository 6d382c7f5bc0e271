/** The API reference, rendered from the OpenAPI document: a guide, then each record type with its operations. */
import type { Metadata } from 'next'
import { openApiDocument } from '@/lib/http/openapi/document'
import { EXAMPLE_URL } from '@/lib/http/openapi/samples'
import type { OperationObject } from '@/lib/http/openapi/types'
import { docsCopy as copy } from '../copy/docs'
import { shopCopy } from '../copy/shop'
import { getPublicBaseUrl } from '../public-base-url'
import './docs.css'
import { EVENT_TYPES_ID, EventTypes } from './event-types'
import { Prose, renderInline, slug, splitSections } from './markdown'
import { RecordMembers } from './members'
import { type Group, Navigation } from './navigation'
import { NavigationMarks } from './navigation-marks'
import { Example, Operation } from './operation'
import { findRecordSchema, resolveReference, toRecordAnchor } from './schema'

export const metadata: Metadata = { title: copy.title }

/** The tag of the section that also lists the event types. */
const EVENTS_TAG = 'Events'

type DocumentedOperation = { method: string; path: string; operation: OperationObject }

function listOperations(tag: string): DocumentedOperation[] {
  return Object.entries(openApiDocument().paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      operation.tags.includes(tag) ? [{ method: method.toUpperCase(), path, operation }] : [],
    ),
  )
}

export default async function ReferencePage() {
  const { info, tags } = openApiDocument()
  const serverUrl = await getPublicBaseUrl()
  // The guide and the code samples use this server's URL, so that the samples work unchanged.
  const withServerUrl = (text: string) => text.replaceAll(EXAMPLE_URL, serverUrl)
  const [intro, ...guide] = splitSections(withServerUrl(info.description))
  const parts = tags.map(({ name, description }) => ({
    name,
    description,
    operations: listOperations(name),
    record: findRecordSchema(name),
  }))
  const groups: Group[] = [
    { title: copy.guide, entries: guide.map(({ id, title }) => ({ id, title })) },
    ...parts.map(({ name, operations, record }) => ({
      title: name,
      entries: [
        ...(record ? [{ id: toRecordAnchor(name), title: copy.object(record.title ?? name) }] : []),
        ...operations.map(({ operation }) => ({ id: operation.operationId, title: operation.summary })),
        ...(name === EVENTS_TAG ? [{ id: EVENT_TYPES_ID, title: copy.eventTypes }] : []),
      ],
    })),
  ]
  return (
    <div className="docs mx-auto flex max-w-[88rem] flex-col gap-x-10 px-4 sm:px-6 lg:flex-row">
      <a href="#content" className="button sr-only z-20 focus:not-sr-only focus:absolute focus:top-2 focus:left-2">
        {copy.skip}
      </a>
      <Navigation groups={groups} />
      <NavigationMarks />
      <main id="content" className="min-w-0 flex-1 pt-8 pb-24">
        <div className="flex flex-wrap items-baseline justify-between gap-3">
          <h1 className="font-semibold text-2xl tracking-tight">{copy.title}</h1>
          <span className="flex gap-4 text-sm">
            <a href="/v1/openapi.json" className="text-accent underline underline-offset-2">
              {copy.openApi}
            </a>
            <a href="/" className="text-accent underline underline-offset-2">
              {shopCopy.name}
            </a>
          </span>
        </div>
        <div className="mt-4 max-w-[46rem]">
          <Prose text={intro?.text ?? ''} />
          <noscript>
            <p className="mt-4 text-quiet">{copy.noScript}</p>
          </noscript>
          {guide.map(({ id, title, text }) => (
            <section key={id} id={id} className="scroll-mt-14 pt-10 lg:scroll-mt-0">
              <h2 className="mb-3 font-semibold text-lg tracking-tight">{title}</h2>
              <Prose text={text} />
            </section>
          ))}
        </div>
        {parts.map(({ name, description, operations, record }) => (
          <section key={name} aria-labelledby={slug(name)} className="pt-16">
            <h2 id={slug(name)} className="scroll-mt-14 font-semibold text-2xl tracking-tight lg:scroll-mt-6">
              {name}
            </h2>
            <p className="mt-1 mb-6 text-quiet">{renderInline(description)}</p>
            {record ? (
              <article id={toRecordAnchor(name)} className="scroll-mt-14 border-line border-t py-10 lg:scroll-mt-6">
                <h3 className="mb-3 font-semibold text-lg tracking-tight">{copy.object(record.title ?? name)}</h3>
                <div className="grid gap-8 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
                  <div className="min-w-0">
                    <RecordMembers schema={resolveReference(record)} />
                  </div>
                  <Example value={record.examples?.[0]} open />
                </div>
              </article>
            ) : null}
            {operations.map((documented) => (
              <Operation key={documented.operation.operationId} {...documented} withServerUrl={withServerUrl} />
            ))}
            {name === EVENTS_TAG ? <EventTypes /> : null}
          </section>
        ))}
      </main>
    </div>
  )
}
