// SPDX-License-Identifier: Apache-2.0
// Shared context of the page: the link, the fleet view of the frame, and the viewer.
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from "react";
import type { Viewer } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { HubHop, Link, ViewRequest } from "../link/link.ts";
import type { FleetPicture } from "../views/fleet-fold.ts";
import { fleetFold } from "../views/fleet-fold.ts";
import { type Shown, type ViewFold, ViewStore } from "../views/view-store.ts";

export interface PageContextValue {
  readonly link: Link;
  /** Version of the running page; "" in development. */
  readonly pageVersion: string;
  readonly fleet: ViewStore<FleetPicture>;
  /** Undefined until the hub has answered. */
  readonly viewer: Viewer | undefined;
  /** Loads the viewer again. */
  readonly reloadViewer: () => void;
}

export const PageContext = createContext<PageContextValue | undefined>(undefined);

function setTimer(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

/** Creates the store of the whole fleet over a link. */
export function createFleetStore(link: Link): ViewStore<FleetPicture> {
  return new ViewStore({ link, request: { case: "fleet", value: {} }, fold: fleetFold, setTimer });
}

/** The context of the surrounding page. Throws outside of one. */
export function usePage(): PageContextValue {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("this component must be used inside a page");
  return page;
}

export function useFleet(): Shown<FleetPicture> {
  const { fleet } = usePage();
  return useSyncExternalStore(fleet.listen, fleet.getShown);
}

/** The hop from this browser to the hub, as it changes. */
export function useHop(): HubHop {
  const { link } = usePage();
  return useSyncExternalStore(
    (listener) => link.listenHop(listener),
    () => link.getHop(),
  );
}

/** A view subscribed while the component is mounted. A new `request` object is a new view. */
export function useView<T>(request: ViewRequest, fold: ViewFold<T>): Shown<T> {
  const { link } = usePage();
  const store = useMemo(() => new ViewStore({ link, request, fold, setTimer }), [link, request, fold]);
  return useSyncExternalStore(store.listen, store.getShown);
}

/** Sets the title of the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Flotilla" : `${title} · Flotilla`;
  }, [title]);
}
