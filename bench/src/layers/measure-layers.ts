import { assertScenarios, type Bench, measureScenarios } from '../measure-scenarios.ts'
import type { Section } from '../report.ts'
import { openScalePostgres, type ScalePostgres } from '../scale/scale-postgres.ts'
import type { LoadPlace } from './goals.ts'
import { layers } from './layers.ts'
import { type LayersOptions, layersUsage } from './layers-options.ts'
import { measureLayer } from './measure-layer.ts'
import { assertModules } from './server-env.ts'

type LayersWork = LayersOptions & Pick<LoadPlace, 'postgres'>

const bench: Bench<LayersWork> = {
  name: 'layers',
  usage: layersUsage,
  scenarios: Object.fromEntries(
    layers.map(layer => [layer.name, (work: LayersWork) => measureLayer(layer, work)]),
  ),
}

/** Measures the layers that are named, or all of them. Throws when there is no such layer, or a module is missing. */
export function measureLayers(options: LayersOptions): AsyncIterable<Section> {
  assertScenarios(bench, options.names)
  for (const layer of layers) assertModules(layer)
  return measureWithPostgres(options)
}

/** Postgres is started when the first layer needs it. */
async function* measureWithPostgres(options: LayersOptions): AsyncGenerator<Section> {
  await using opened = new AsyncDisposableStack()
  let started: Promise<ScalePostgres> | undefined
  const postgres = async () => {
    started ??= openScalePostgres().then(server => opened.use(server))
    return (await started).url
  }
  yield* measureScenarios(bench, { ...options, postgres })
}
