"""The manager: from a config and a store to a finished run.

    manager = Manager(config, store, listener=show)    # prints nothing; `show` gets the events
    with stopped_by_signals(manager):                  # Ctrl-C: once politely, twice at once
        summary = manager.run()                        # Summary: why it ended, best, estimate

`Manager(config, store, *, chooser=None, recommender=None, schedulers=None, listener=...)` takes the
chooser from CHOOSERS[config.chooser] and the schedulers from SCHEDULERS unless they are given.
`manager.stop(hand_back=False)` may be called from any thread or signal handler: running jobs are
awaited; with hand_back they are ended and become new again, the attempt not counted.
"""
