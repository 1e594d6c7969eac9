// What the browser decides by itself. A question to the server whose answer gets lost is never
// settled in dash, and all that depends on it waits for ever: so nothing that is looked at again
// and again may depend on one.
const other = {light: 'dark', dark: 'light'};

window.dash_clientside = Object.assign({}, window.dash_clientside, {
  page: {
    // The system's theme until the button was pressed, which is remembered.
    theme: function (presses, chosen) {
      const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
      const now = presses ? other[chosen || system] : (chosen || system);
      document.documentElement.dataset.theme = now;
      return [now, presses ? now : dash_clientside.no_update];
    },

    // Which jobs the table shows: by which column, and which page of them.
    reorder: function (clicks, newer, older, wanted, order) {
      const trigger = dash_clientside.callback_context.triggered_id;
      if (trigger === 'filter') return {...order, page: 0};
      if (trigger === 'older') return {...order, page: order.page + 1};
      if (trigger === 'newer') return {...order, page: Math.max(order.page - 1, 0)};
      // the table was drawn anew, and nobody has pressed
      if (!trigger || !clicks.some(Boolean)) return dash_clientside.no_update;
      const again = trigger.sort === order.column;
      return {column: trigger.sort, descending: again && !order.descending, page: 0};
    },
  },
});
