// SPDX-License-Identifier: Apache-2.0
// Keeps the row table equal to the cluster: discovery finds the kinds, one reflector follows each, and its events
// become rows.
import { abortReason, onAbort } from "../../base/abort.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { runTogether } from "../../base/run-together.ts";
import type { Clock } from "../../base/time/clock.ts";
import { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import type { OtherKinds } from "../../kinds/choose-kinds.ts";
import type { DerivedKind, Kind } from "../../kinds/kind.ts";
import { chooseVersions } from "../../kube/discovery/choose-versions.ts";
import { Discovery } from "../../kube/discovery/discovery.ts";
import { loadNotFoundError } from "../../kube/discovery/load-not-found.ts";
import type { Served, ServedResource } from "../../kube/discovery/served-resource.ts";
import type { KubeError } from "../../kube/kube-error.ts";
import type { KubeSource } from "../../kube/kube-source.ts";
import type { ReflectorSettings } from "../../kube/reflector/reflector-options.ts";
import { ListedNamespaces } from "../../kube/reflector/scope/listed-namespaces.ts";
import type { NamespaceFilter } from "../../kube/reflector/scope/namespace-filter.ts";
import { runScoped } from "../../kube/reflector/scope/run-scoped.ts";
import type { ReflectorEvent } from "../../kube/reflector-event.ts";
import type { ServerRecovery } from "../../kube/server-recovery.ts";
import { type ResourceId, resourceIdText } from "../../model/gvr.ts";
import type { RowKey } from "../../session/agent/kind-entry.ts";
import type { RowTable } from "../../session/agent/row-table.ts";
import { createObjectHandlers } from "./create-object-handlers.ts";
import { type EarlyRead, EarlyReads } from "./early-reads.ts";
import { KindEventHandler } from "./kind-event-handler.ts";
import { type KindReportChange, KindReportStore } from "./kind-report-store.ts";
import { type MeshChange, MeshFacts } from "./mesh-facts.ts";
import type { ObjectHandler } from "./object-handler.ts";
import { OtherKindList } from "./other-kinds.ts";
import type { Refusals } from "./refusals.ts";
import { RestartableTask } from "./restartable-task.ts";

export interface CollectorOptions {
  readonly source: KubeSource;
  readonly rows: RowTable;
  /** Kinds with a file of their own. */
  readonly kinds: readonly Kind[];
  readonly derivedKinds: readonly DerivedKind[];
  readonly otherKinds: OtherKinds;
  readonly filter: NamespaceFilter;
  readonly settings: ReflectorSettings;
  readonly discoveryIntervalMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Called at once on a sign that the API server may be gone. Must not throw. */
  readonly onDoubt: () => void;
  /** Called when a list or watch was answered. Must not throw. */
  readonly onAnswer?: () => void;
  /** Announces that the API server answers again; ends the waits for it (KU14). */
  readonly returns?: ServerRecovery | undefined;
}

/** A kind that is followed. */
interface Followed {
  readonly version: string;
  readonly isNamespaced: boolean;
  readonly task: RestartableTask;
  readonly earlyReads: EarlyReads;
  readonly handlers: readonly ObjectHandler[];
}

/** Collects one cluster. A failing kind does not affect the others (L14). */
export class Collector {
  readonly reports: KindReportStore;
  readonly #options: CollectorOptions;
  readonly #namespaces = new ListedNamespaces();
  readonly #followed = new Map<string, Followed>();
  readonly #mesh: MeshFacts;
  readonly #others: OtherKindList;
  readonly #bug = Promise.withResolvers<never>();
  #served: Served | undefined;
  #discovery: Discovery | undefined;
  #discovering: RestartableTask | undefined;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.reports = new KindReportStore(options.clock);
    this.#mesh = new MeshFacts((change) => this.#listAgainWithFacts(change));
    this.#bug.promise.catch(() => undefined); // `run` rejects with it; it may come before `run` is called
    this.#others = new OtherKindList(options.otherKinds, options.log);
    for (const kind of this.kinds) this.#open(kind);
  }

  /** The kinds that are followed if the cluster serves them. Discovery adds to them. */
  get kinds(): readonly Kind[] {
    return [...this.#options.kinds, ...this.#others.kinds];
  }

  /** Collects until the signal aborts, then stops all kinds. Rejects with the signal's reason, or with a bug. */
  async run(signal: AbortSignal): Promise<void> {
    const discovering = new RestartableTask((turn) => this.#discover(turn), this.#bug.reject);
    this.#discovering = discovering;
    try {
      await runTogether([(both) => this.#untilBug(both)], signal);
    } finally {
      await discovering.stop();
      const ended = [...this.#followed.values()].map((followed) => stopFollowing(followed));
      this.#followed.clear();
      await Promise.all(ended);
    }
  }

  /**
   * Invalidates all lists that began before now (SE36). A kind is complete again after a new list, or when discovery
   * finds again that it is not served. Rows stay.
   */
  relist(): void {
    for (const kind of this.#options.rows.kinds) {
      kind.invalidateLists();
      this.reports.write(kind.resource, { state: KindState.LISTING, currentAtMs: undefined });
    }
    for (const { task } of this.#followed.values()) task.restart();
    this.#discovering?.restart();
  }

  /** Adds the kinds whose rows the hub holds and which this session did not name (SE58). */
  noteHeld(resources: readonly ResourceId[]): void {
    if (this.#others.noteHeld(resources)) this.#discovering?.restart();
  }

  /**
   * Begins a read of one object ahead of the watch (SE67). Undefined while only the list may write the kind's rows, and
   * for a kind that is not followed.
   */
  beginEarlyRead(resource: string, key: RowKey): EarlyRead | undefined {
    return this.#followed.get(resource)?.earlyReads.begin(key);
  }

  /** One run of discovery. A kind that is followed already is left as it is. */
  async #discover(signal: AbortSignal): Promise<void> {
    const { source, clock, random, log, settings, discoveryIntervalMs } = this.#options;
    this.#discovery = new Discovery({
      source,
      clock,
      random,
      log,
      intervalMs: discoveryIntervalMs,
      requestTimeoutMs: settings.requestTimeoutMs,
      onServed: async (served) => {
        if (!signal.aborted) await this.#noteServed(served, signal);
      },
      onFailed: (error) => this.#noteDiscoveryFailed(error),
    });
    const unlisten = this.#options.returns?.listen(() => this.#discovery?.askNow());
    try {
      await this.#discovery.run(signal);
    } finally {
      unlisten?.();
    }
  }

  async #untilBug(signal: AbortSignal): Promise<never> {
    const aborted = Promise.withResolvers<never>();
    onAbort(signal, () => aborted.reject(abortReason(signal)));
    return Promise.race([this.#bug.promise, aborted.promise]);
  }

  /** Starts new kinds, stops removed ones, and leaves kinds alone whose discovery failed (L4). */
  async #noteServed(served: Served, signal: AbortSignal): Promise<void> {
    this.#served = served;
    this.#others.noteServed(served);
    const { collected, notInstalled } = chooseVersions(this.kinds, served);
    for (const kind of notInstalled) await this.#noteNotInstalled(kind, signal);
    for (const { wanted, served: chosen } of collected) {
      const text = resourceIdText(wanted.resource);
      const followed = this.#followed.get(text);
      if (followed?.version === chosen.version && followed.isNamespaced === chosen.isNamespaced) continue;
      await this.#stop(text);
      this.#open(wanted);
      this.#follow(wanted, chosen);
    }
  }

  #noteDiscoveryFailed(error: KubeError): void {
    this.#options.onDoubt();
    // Before the first discovery answer no kind's state is known, so all of them fail.
    if (this.#served !== undefined) return;
    const { fault, message } = error;
    for (const kind of this.kinds) {
      const change = { state: KindState.FAILED, fault, verb: "get", error: message };
      this.reports.write(resourceIdText(kind.resource), change);
    }
  }

  /** A kind that was followed until now is reported with the server's own message for its absence. */
  async #noteNotInstalled(kind: Kind, signal: AbortSignal): Promise<void> {
    const { source, settings } = this.#options;
    const text = resourceIdText(kind.resource);
    const version = this.#followed.get(text)?.version;
    await this.#stop(text);
    const { handlers } = this.#createHandlers(kind);
    for (const handler of handlers) {
      handler.empty();
      handler.close();
    }
    const write = (change: KindReportChange): void => {
      for (const resource of this.#resourcesOf(kind)) this.reports.write(resource, change);
    };
    const isTold = this.reports.get(text)?.fault === "notFound";
    write({ state: KindState.NOT_INSTALLED, ...(isTold ? {} : { version: "", fault: "", verb: "", error: "" }) });
    if (isTold || version === undefined) return;
    const { requestTimeoutMs } = settings;
    const absence = await loadNotFoundError({ source, requestTimeoutMs }, { ...kind.resource, version }, signal);
    if (absence !== undefined) write({ version, fault: absence.fault, verb: "list", error: absence.message });
  }

  #follow(kind: Kind, served: ServedResource): void {
    const { source, settings, filter, clock, random, log, onDoubt, onAnswer, returns } = this.#options;
    const text = resourceIdText(kind.resource);
    const { handlers, refusals } = this.#createHandlers(kind);
    const resources = this.#resourcesOf(kind);
    const events = new KindEventHandler({
      resources,
      version: served.version,
      handlers,
      refusals,
      reports: this.reports,
    });
    const isNamespaces = text === "namespaces";
    const isDefinitions = text === "apiextensions.k8s.io/customresourcedefinitions";
    const sink = (event: ReflectorEvent): void => {
      if (event.kind === "listed" || event.kind === "current") onAnswer?.();
      if (isNamespaces) this.#namespaces.take(event);
      if (isDefinitions && (event.kind === "object" || event.kind === "deleted")) this.#discovery?.askNow();
      earlyReads.note(event);
      events.take(event);
    };
    const earlyReads = new EarlyReads(this.#options.rows.openKind(kind), sink);
    const scoped = {
      source,
      clock,
      random,
      log: log.with({ resource: text }),
      settings,
      resource: served,
      isNamespaced: served.isNamespaced,
      filter,
      namespaces: this.#namespaces,
      onDoubt,
      returns,
    };
    // A cancelled run belongs to a list that no longer counts: its events are dropped.
    const task = new RestartableTask(
      (signal) => runScoped({ ...scoped, sink: (event) => (signal.aborted ? undefined : sink(event)) }, signal),
      this.#bug.reject,
    );
    const { version, isNamespaced } = served;
    this.#followed.set(text, { version, isNamespaced, task, earlyReads, handlers });
  }

  async #stop(text: string): Promise<void> {
    const followed = this.#followed.get(text);
    if (followed === undefined) return;
    this.#followed.delete(text);
    await stopFollowing(followed);
  }

  /** The mesh facts changed: lists the kinds again that were projected with the old ones (KI17). */
  #listAgainWithFacts({ ofConfigs, ofRoots }: MeshChange): void {
    const { kinds, derivedKinds } = this.#options;
    const own = ofRoots ? kinds.filter(({ usesFacts }) => usesFacts === true).map(({ resource }) => resource) : [];
    const sources = ofConfigs ? derivedKinds.filter(({ usesFacts }) => usesFacts === true).map(({ from }) => from) : [];
    for (const text of new Set([...own, ...sources].map(resourceIdText))) this.#followed.get(text)?.task.restart();
  }

  /** Reports the kind to the hub from the start, as one whose first list is running. */
  #open(kind: Kind): void {
    this.#options.rows.openKind(kind);
    this.reports.write(resourceIdText(kind.resource), {});
  }

  #createHandlers(kind: Kind): { readonly handlers: readonly ObjectHandler[]; readonly refusals: Refusals } {
    const { rows, clock, derivedKinds } = this.#options;
    return createObjectHandlers({ kind, derivedKinds, rows, clock, mesh: this.#mesh, reports: this.reports });
  }

  #resourcesOf(kind: Kind): readonly string[] {
    const own = resourceIdText(kind.resource);
    const derived = this.#options.derivedKinds.filter(({ from }) => resourceIdText(from) === own);
    return [own, ...derived.map(({ resource }) => resourceIdText(resource))];
  }
}

async function stopFollowing({ task, earlyReads, handlers }: Followed): Promise<void> {
  earlyReads.close();
  await task.stop();
  for (const handler of handlers) handler.close();
}
