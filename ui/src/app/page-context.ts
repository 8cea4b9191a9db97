// SPDX-License-Identifier: Apache-2.0
// What every part of the page can reach: the link, the fleet that the frame itself follows, and who looks.
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore } from "react";
import type { Viewer } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { HubHop, Link, ViewWish } from "../link/link.ts";
import type { FleetPicture } from "../views/fleet-fold.ts";
import { fleetFold } from "../views/fleet-fold.ts";
import { type Shown, type ViewFold, ViewStore } from "../views/view-store.ts";

export interface Page {
  readonly link: Link;
  /** Of the page that runs; "" in development. */
  readonly pageVersion: string;
  readonly fleet: ViewStore<FleetPicture>;
  /** Undefined until the hub said who we are. */
  readonly viewer: Viewer | undefined;
  /** Asks the hub again who we are. */
  readonly reloadViewer: () => void;
}

export const PageContext = createContext<Page | undefined>(undefined);

function setTimer(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

/** The store of the whole fleet over a link. */
export function createFleetStore(link: Link): ViewStore<FleetPicture> {
  return new ViewStore({ link, wish: { case: "fleet", value: {} }, fold: fleetFold, setTimer });
}

/** The page that this component is on. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("this component stands outside of a page");
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

/** A view of its own for as long as the component is shown. Another wish object is another view. */
export function useView<T>(wish: ViewWish, fold: ViewFold<T>): Shown<T> {
  const { link } = usePage();
  const store = useMemo(() => new ViewStore({ link, wish, fold, setTimer }), [link, wish, fold]);
  return useSyncExternalStore(store.listen, store.getShown);
}

/** Sets the title of the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Flotilla" : `${title} · Flotilla`;
  }, [title]);
}
