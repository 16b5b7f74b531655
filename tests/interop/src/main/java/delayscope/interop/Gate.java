package delayscope.interop;

/** A gate that threads wait at while it is shut. */
final class Gate {
    private boolean shut;

    /** Waits until it is open. */
    synchronized void pass() throws InterruptedException {
        while (shut) {
            wait();
        }
    }

    synchronized void shut() {
        shut = true;
    }

    synchronized void open() {
        shut = false;
        notifyAll();
    }
}
